#include "rating/team_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rating/normal.h"

namespace evenmatch {
namespace {

constexpr double kSettled = 1e-12;  // relative to the size of the message

bool Moved(double from, double to) { return std::abs(to - from) > kSettled * (1 + std::abs(to)); }

}  // namespace

void TeamGraph::Join(size_t better, size_t worse, bool draw, double margin) {
  teams_[better].factors.push_back(factors_.size());
  teams_[worse].factors.push_back(factors_.size());
  factors_.push_back({better, worse, draw, margin, {}, {}});
}

void TeamGraph::Connect(size_t most_pairs, const std::function<double(size_t, size_t)>& margin) {
  std::vector<size_t> order(teams_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return teams_[a].rank < teams_[b].rank; });
  const auto end_of_rank = [&](size_t begin) {
    size_t end = begin + 1;
    while (end < order.size() && teams_[order[end]].rank == teams_[order[begin]].rank) ++end;
    return end;
  };
  size_t pairs = 0;
  for (size_t begin = 0; begin < order.size();) {
    const size_t end = end_of_rank(begin);
    const size_t next = end < order.size() ? end_of_rank(end) : end;
    pairs += (end - begin) * (end - begin - 1) / 2 + (end - begin) * (next - end);
    begin = end;
  }
  if (pairs > most_pairs) {
    for (size_t k = 0; k + 1 < order.size(); ++k) {
      const size_t a = order[k], b = order[k + 1];
      Join(a, b, teams_[a].rank == teams_[b].rank, margin(a, b));
    }
    return;
  }
  for (size_t begin = 0; begin < order.size();) {
    const size_t end = end_of_rank(begin);
    const size_t next = end < order.size() ? end_of_rank(end) : end;
    for (size_t i = begin; i < end; ++i) {
      for (size_t j = i + 1; j < next; ++j) Join(order[i], order[j], j < end, margin(order[i], order[j]));
    }
    begin = end;
  }
}

TeamGraph::Message TeamGraph::Others(size_t team, size_t factor) const {
  Message sum;
  for (const size_t other : teams_[team].factors) {
    if (other == factor) continue;
    const Message& message = factors_[other].better == team ? factors_[other].to_better : factors_[other].to_worse;
    sum.pi += message.pi;
    sum.tau += message.tau;
  }
  return sum;
}

bool TeamGraph::Send(size_t index) {
  Factor& factor = factors_[index];
  const auto cavity = [&](size_t team, double* shift, double* variance) {
    const Message others = Others(team, index);
    const double scale = 1 + others.pi * teams_[team].variance;
    *shift = others.tau * teams_[team].variance / scale;
    *variance = teams_[team].variance / scale;
  };
  double shift1, variance1, shift2, variance2;
  cavity(factor.better, &shift1, &variance1);
  cavity(factor.worse, &shift2, &variance2);
  const double v = variance1 + variance2;
  const double deviation = std::sqrt(v);
  const double t = (teams_[factor.better].mean - teams_[factor.worse].mean + (shift1 - shift2)) / deviation;
  const double margin = factor.margin / deviation;
  const Truncation cut = factor.draw ? TruncateDraw(t, margin) : TruncateWin(t - margin);
  const double flat = v * (1 - cut.w);
  const double divisor1 = flat + cut.w * variance2;
  const double divisor2 = flat + cut.w * variance1;
  const Message to_better{cut.w / divisor1, (cut.w * shift1 + deviation * cut.v) / divisor1};
  const Message to_worse{cut.w / divisor2, (cut.w * shift2 - deviation * cut.v) / divisor2};
  const auto moved = [&](size_t team, const Message& from, const Message& to) {
    const double variance = teams_[team].variance;
    return Moved(from.pi * variance, to.pi * variance) ||
           Moved(from.tau * std::sqrt(variance), to.tau * std::sqrt(variance));
  };
  const bool any = moved(factor.better, factor.to_better, to_better) || moved(factor.worse, factor.to_worse, to_worse);
  factor.to_better = to_better;
  factor.to_worse = to_worse;
  return any;
}

void TeamGraph::Pass(int most_sweeps) {
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool moved = false;
    for (size_t k = 0; k < factors_.size(); ++k) moved |= Send(k);
    for (size_t k = factors_.size(); k-- > 0;) moved |= Send(k);
    if (!moved) return;
  }
}

TeamBelief TeamGraph::Belief(size_t team) const {
  const Message all = Others(team, factors_.size());
  const double scale = 1 + all.pi * teams_[team].variance;
  return {.pull = all.tau / scale, .gain = all.pi / scale};
}

}  // namespace evenmatch
