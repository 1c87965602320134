// TeamGraph: the factor graph of a game of three teams and more, reduced to the teams' performances.
//
// Shape:   every factor says of two teams by how much one was better than the other; expectation propagation passes
//          messages until none moves. A message is a Gaussian in natural parameters, with its location relative to the
//          team's prior mean, and is sent together with the other side's variance, pi = W / (v (1 - W) + W v_other), so
//          that nothing is infinite where W reaches 0 or 1.
// Cost:    a sweep visits every factor twice; a factor sums the messages of its two teams' other factors.
// Errors:  none. What has not settled after the last sweep is taken as it is; it is finite.
// Threads: owned by one update.
// Source:  Herbrich, Minka, Graepel (NIPS 2006), Table 1; Minka, Expectation propagation (UAI 2001).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace evenmatch {

// What a game says of a team's performance with prior N(mean, variance): the mean moves by variance * pull, the
// variance by -variance^2 * gain.
struct TeamBelief {
  double pull = 0;
  double gain = 0;
};

class TeamGraph {
 public:
  void AddTeam(double mean, double variance, int32_t rank) { teams_.push_back({mean, variance, rank, {}}); }

  // Makes the factors. Neighbours in rank, and of neighbouring groups of one rank every pair as long as there are at
  // most `most_pairs`; otherwise tied teams stand in a row in the order in which they were added.
  void Connect(size_t most_pairs, const std::function<double(size_t, size_t)>& margin);

  // At most that many sweeps there and back.
  void Pass(int most_sweeps);

  TeamBelief Belief(size_t team) const;

 private:
  struct Message {
    double pi = 0;   // precision
    double tau = 0;  // precision * (location - prior mean of the team)
  };
  struct Factor {
    size_t better;
    size_t worse;  // of a draw just the other one
    bool draw;
    double margin;
    Message to_better;
    Message to_worse;
  };
  struct Team {
    double mean;
    double variance;
    int32_t rank;
    std::vector<size_t> factors;
  };

  Message Others(size_t team, size_t factor) const;  // all messages to the team but that factor's
  bool Send(size_t factor);                          // true when a message moved
  void Join(size_t better, size_t worse, bool draw, double margin);

  std::vector<Team> teams_;
  std::vector<Factor> factors_;
};

}  // namespace evenmatch
