// Units of the core: integers only, so that every compiler gives the same game (see rating/ for the only doubles).
#pragma once

#include <cstdint>
#include <limits>

namespace evenmatch {

// Microseconds: an instant since the Unix epoch (names ending in _at or called now) or a span (wait, timeout, grace).
using Micros = int64_t;
inline constexpr Micros kMillisecond = 1'000;
inline constexpr Micros kSecond = 1'000'000;
inline constexpr Micros kMinute = 60 * kSecond;
inline constexpr Micros kHour = 60 * kMinute;
inline constexpr Micros kNever = std::numeric_limits<Micros>::max();

// Thousandths of a point of an Elo-like scale: a rating of 1500.0 is 1'500'000. Differences of two values fit into an
// int32_t as long as values stay within kMaxValue.
using MilliPoints = int32_t;
inline constexpr MilliPoints kPoint = 1'000;
inline constexpr MilliPoints kMaxValue = 100'000 * kPoint;  // |value| <= this
inline constexpr MilliPoints kNoValue = std::numeric_limits<MilliPoints>::min();
inline constexpr MilliPoints kUnlimitedWindow = std::numeric_limits<MilliPoints>::max();

// Ten-thousandths: a win probability of one half is 5'000.
using BasisPoints = int32_t;
inline constexpr BasisPoints kCertain = 10'000;

// How good a game is, 0..kBestQuality, higher is better.
using Quality = int32_t;
inline constexpr Quality kBestQuality = 10'000;

}  // namespace evenmatch
