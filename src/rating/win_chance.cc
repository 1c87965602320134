#include "rating/win_chance.h"

#include <array>
#include <cmath>
#include <limits>

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

}  // namespace

BasisPoints WinChance(MilliPoints gap) {
  if (gap < 0) return kCertain - WinChance(gap == std::numeric_limits<MilliPoints>::min() ? kUnlimitedWindow : -gap);
  const auto& table = Table();
  const int32_t point = gap / kPoint;
  if (point >= kLastPoint) return kCertain;
  const int64_t chance = table[point] + (table[point + 1] - table[point]) * (gap % kPoint) / kPoint;
  return static_cast<BasisPoints>((chance + kScale / 2) / kScale);
}

}  // namespace evenmatch
