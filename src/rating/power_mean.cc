#include "rating/power_mean.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "base/check.h"

namespace evenmatch {
namespace {

double Power(int64_t base, int32_t power) {
  double result = 1;
  for (int32_t i = 0; i < power; ++i) result *= static_cast<double>(base);
  return result;
}

}  // namespace

MilliPoints PowerMean(std::span<const MilliPoints> values, int32_t power) {
  CHECK(!values.empty() && power >= 1);
  absl::InlinedVector<MilliPoints, 8> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const int64_t lowest = sorted.front();
  const int64_t range = sorted.back() - lowest;
  const auto count = static_cast<int64_t>(sorted.size());
  int64_t sum = 0;
  double powers = 0;
  for (const MilliPoints value : sorted) {
    sum += value - lowest;
    powers += Power(value - lowest, power);
  }
  // The highest whole number whose power is within the mean of the powers; never below the mean of the values.
  int64_t low = sum / count, high = range;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (Power(middle, power) * static_cast<double>(count) <= powers) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return static_cast<MilliPoints>(lowest + low);
}

}  // namespace evenmatch
