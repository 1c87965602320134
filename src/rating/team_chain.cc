#include "rating/team_chain.h"

#include <cmath>
#include <vector>

#include "rating/normal.h"

namespace evenmatch {
namespace {

constexpr double kSettled = 1e-12;  // relative to the size of the message

struct Message {
  double pi = 0;   // precision
  double tau = 0;  // precision * (location - prior mean of the team)
};

// A team without the message of one link.
struct Cavity {
  double shift;  // of the mean
  double variance;
};

Cavity Without(const ChainTeam& team, const Message& other) {
  const double scale = 1 + other.pi * team.variance;
  return {other.tau * team.variance / scale, team.variance / scale};
}

bool Moved(double from, double to) { return std::abs(to - from) > kSettled * (1 + std::abs(to)); }

bool Moved(const ChainTeam& team, const Message& from, const Message& to) {
  return Moved(from.pi * team.variance, to.pi * team.variance) ||
         Moved(from.tau * std::sqrt(team.variance), to.tau * std::sqrt(team.variance));
}

}  // namespace

void PassMessages(std::span<const ChainTeam> teams, std::span<const ChainLink> links, int most_sweeps,
                  std::span<TeamBelief> beliefs) {
  // Up from the worse side and down from the better one; team k hears up[k] from its link to k + 1 and down[k] from its
  // link to k - 1. Nobody speaks at the two ends.
  std::vector<Message> up(teams.size()), down(teams.size());
  const auto send = [&](size_t k) {
    const ChainTeam& better = teams[k];
    const ChainTeam& worse = teams[k + 1];
    const Cavity one = Without(better, down[k]);
    const Cavity other = Without(worse, up[k + 1]);
    const double v = one.variance + other.variance;
    const double deviation = std::sqrt(v);
    const double t = (better.mean - worse.mean + (one.shift - other.shift)) / deviation;
    const double margin = links[k].margin / deviation;
    const Truncation cut = links[k].draw ? TruncateDraw(t, margin) : TruncateWin(t - margin);
    const double flat = v * (1 - cut.w);
    const double to_better = flat + cut.w * other.variance;
    const double to_worse = flat + cut.w * one.variance;
    const Message up_now{cut.w / to_better, (cut.w * one.shift + deviation * cut.v) / to_better};
    const Message down_now{cut.w / to_worse, (cut.w * other.shift - deviation * cut.v) / to_worse};
    const bool moved = Moved(better, up[k], up_now) || Moved(worse, down[k + 1], down_now);
    up[k] = up_now;
    down[k + 1] = down_now;
    return moved;
  };
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool moved = false;
    for (size_t k = 0; k < links.size(); ++k) moved |= send(k);
    for (size_t k = links.size(); k-- > 0;) moved |= send(k);
    if (!moved) break;
  }
  for (size_t k = 0; k < teams.size(); ++k) {
    const double pi = up[k].pi + down[k].pi;
    const double scale = 1 + pi * teams[k].variance;
    beliefs[k] = {.pull = (up[k].tau + down[k].tau) / scale, .gain = pi / scale};
  }
}

}  // namespace evenmatch
