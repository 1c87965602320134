#include "rating/win_chance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace evenmatch {
namespace {

constexpr int kLastPoint = 3'000;       // 1 / (1 + 10 ** -7.5): certain to the last basis point and two digits more
constexpr int64_t kScale = 10'000'000;  // table entries a basis point

// Chances in basis points * kScale at whole points 0..kLastPoint.
const std::array<int64_t, kLastPoint + 1>& Table() {
  static const std::array<int64_t, kLastPoint + 1> table = [] {
    std::array<int64_t, kLastPoint + 1> made{};
    for (int point = 0; point <= kLastPoint; ++point) {
      made[point] = std::llround(1.0 / (1.0 + std::pow(10.0, -point / 400.0)) * (double{kCertain} * kScale));
    }
    return made;
  }();
  return table;
}

constexpr int kLastDeviation = kMaxDeviation / kPoint;
constexpr int64_t kOne = int64_t{1} << 30;

// Glicko's g times kOne at whole points 0..kLastDeviation.
const std::vector<int64_t>& Damping() {
  static const std::vector<int64_t> table = [] {
    std::vector<int64_t> made(kLastDeviation + 1);
    const double q = std::numbers::ln10 / 400;
    for (int point = 0; point <= kLastDeviation; ++point) {
      const double ratio = q * point / std::numbers::pi;
      made[static_cast<size_t>(point)] = std::llround(static_cast<double>(kOne) / std::sqrt(1 + 3 * ratio * ratio));
    }
    return made;
  }();
  return table;
}

}  // namespace

BasisPoints WinChance(MilliPoints gap) {
  if (gap < 0) return kCertain - WinChance(gap == std::numeric_limits<MilliPoints>::min() ? kUnlimitedWindow : -gap);
  const auto& table = Table();
  const int32_t point = gap / kPoint;
  if (point >= kLastPoint) return kCertain;
  const int64_t chance = table[point] + (table[point + 1] - table[point]) * (gap % kPoint) / kPoint;
  return static_cast<BasisPoints>((chance + kScale / 2) / kScale);
}

BasisPoints WinChance(MilliPoints gap, MilliPoints deviation) {
  if (deviation <= 0) return WinChance(gap);
  deviation = std::min(deviation, kMaxDeviation);
  const std::vector<int64_t>& table = Damping();
  const size_t point = static_cast<size_t>(deviation / kPoint);
  int64_t damping = table[point];
  if (deviation % kPoint != 0) damping += (table[point + 1] - table[point]) * (deviation % kPoint) / kPoint;
  return WinChance(static_cast<MilliPoints>(gap * damping / kOne));  // towards zero: the same from both sides
}

MilliPoints DeviationOfBoth(MilliPoints a, MilliPoints b) { return DeviationOf(int64_t{a} * a + int64_t{b} * b); }

MilliPoints DeviationOf(int64_t squares) {
  if (squares >= int64_t{kMaxDeviation} * kMaxDeviation) return kMaxDeviation;
  int64_t root = static_cast<int64_t>(std::sqrt(static_cast<double>(squares)));
  while (root * root > squares) --root;
  while ((root + 1) * (root + 1) <= squares) ++root;
  return static_cast<MilliPoints>(root);
}

}  // namespace evenmatch
