// TeamChain: the factor graph of a game of three teams and more, reduced to the chain of the teams' performances.
//
// Shape:   teams stand in the order of their ranks; a link says by how much one was better than the next one, or that
//          they drew. Expectation propagation passes messages along the chain, there and back, until none moves. A
//          message is a Gaussian in natural parameters, with its location relative to the team's prior mean, and is
//          sent together with the other side's variance, pi = W / (v (1 - W) + W v_other): nothing cancels at any gap,
//          and nothing is infinite where W reaches 0 or 1.
// Cost:    linear in teams times sweeps, some ten of them.
// Errors:  none. What has not settled after the last sweep is taken as it is; it is finite.
// Threads: pure.
// Source:  Herbrich, Minka, Graepel, TrueSkill (NIPS 2006), Table 1; Minka, Expectation propagation (UAI 2001).
#pragma once

#include <span>

namespace evenmatch {

struct ChainTeam {
  double mean = 0;  // of its performance, before the game
  double variance = 0;
};

struct ChainLink {
  bool draw = false;
  double margin = 0;
};

// What a game says of a team's performance with prior N(mean, variance): the mean moves by variance * pull, the
// variance by -variance^2 * gain.
struct TeamBelief {
  double pull = 0;
  double gain = 0;
};

// links[k] stands between teams[k] and teams[k + 1]; beliefs[k] is of teams[k].
void PassMessages(std::span<const ChainTeam> teams, std::span<const ChainLink> links, int most_sweeps,
                  std::span<TeamBelief> beliefs);

}  // namespace evenmatch
