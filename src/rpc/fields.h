// Fields: checks of single values of a request; remembers the first fault, with the path of its field.
//
// Shape:   steps that give false once something is wrong, so that a parser is a chain of &&. A Path lives on the stack
//          and is written out only for a refusal.
// Units:   points become milli-points by rounding to nearest; durations become microseconds, rounded up.
// Threads: none; one for each request.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "google/protobuf/duration.pb.h"
#include "model/limits.h"
#include "model/units.h"

namespace evenmatch {

struct Path {
  const Path* parent = nullptr;
  const char* name = "";
  int index = -1;                    // of a repeated field
  const std::string* key = nullptr;  // of a map

  std::string ToString() const;  // ticket.players[1].latency_ms["eu"]
};

class Fields {
 public:
  explicit Fields(const Limits& limits) : limits_(limits) {}

  const absl::Status& status() const { return status_; }
  const std::string& field() const { return field_; }
  const Limits& limits() const { return limits_; }

  // INVALID_ARGUMENT with the path and what is wrong. These give false, always.
  bool Fail(const Path& path, std::string_view what);
  bool FailLimit(const Path& path, std::string_view what, size_t limit);
  bool FailNotFound(const Path& path, std::string_view what);

  // UTF-8 of at most so many bytes; anything else.
  bool Text(const std::string& text, const Path& path, size_t max_bytes);
  // The same without control characters; may be empty.
  bool Label(const std::string& text, const Path& path, size_t max_bytes);
  bool Label(const std::string& text, const Path& path) { return Label(text, path, limits_.id_bytes); }
  // The same and not empty.
  bool Id(const std::string& text, const Path& path, size_t max_bytes);
  bool Id(const std::string& text, const Path& path) { return Id(text, path, limits_.id_bytes); }

  // A span of more than zero, within [min, max].
  bool Span(const google::protobuf::Duration& span, const Path& path, Micros min, Micros max, Micros* micros);
  bool Rating(double points, const Path& path, MilliPoints* value);
  bool Deviation(double points, const Path& path, MilliPoints* deviation);

 private:
  const Limits& limits_;
  absl::Status status_;
  std::string field_;
};

}  // namespace evenmatch
