// Report: what came of a run, for people and for programs.
//
// Units:   as the names say; gaps and spreads in points. `enqueue_` is from the intended start of a ticket to its
//          answer, `match_` to the news of its match. `gap_` is between the means of the strongest and the weakest team
//          of a match, `spread_` between its highest and lowest ticket, `favourite_` the chance of the likeliest
//          winner.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/histogram.h"
#include "tools/ledger.h"

namespace evenmatch {

struct Report {
  std::string run, queue, mode;
  uint64_t tickets = 0, players = 0;  // planned
  uint64_t unsent = 0;                // planned, and not sent when the time was over
  uint64_t accepted = 0, refused = 0, unanswered = 0;
  uint64_t matched = 0, cancelled = 0, expired = 0;
  uint64_t waiting = 0;        // still waited at the end; the run cancelled them
  uint64_t lost = 0;           // accepted, and neither ended nor waiting
  double sending_seconds = 0;  // from the first intended start to the last send
  Tally tally;
  std::optional<Histogram> file_gap;  // of a file's own pairings, in milli-points

  // Whether every promise that the run could check was kept.
  bool sound() const { return lost == 0 && tally.doubled == 0 && tally.contradicted == 0 && tally.malformed == 0; }
  double enqueued_per_s() const;
  double matched_per_s() const;

  std::string Text() const;
  std::string Json() const;  // one object on one line
};

}  // namespace evenmatch
