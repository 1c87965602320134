// ReadYaml: a YAML document becomes a protobuf message, field by field by reflection, and remembers where each field
// stood, so that whoever checks the values later can still name the line.
//
// Shape:   field names as in the message; messages are mappings, repeated fields are lists, a Duration is a text like
//          "100ms" or "1h30m", a value of an enum the word after its prefix in small letters. Anchors and aliases work;
//          tags, merge keys and second documents do not.
// Bounds:  kMaxYamlBytes of text, kMaxYamlNodes nodes after aliases are followed, and a nesting that the schema ends.
// Errors:  all that are found, not only the first, in the order of lines; after an error of YAML's own grammar there is
//          only that one. No exception of the YAML library leaves.
// Threads: pure function.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/message.h"

namespace evenmatch {

inline constexpr size_t kMaxYamlBytes = 1 << 20;
inline constexpr size_t kMaxYamlNodes = 200'000;

struct ConfigError {
  int line = 0;       // from 1; 0: the text as a whole
  std::string field;  // a path like queues[1].window.steps[2].after; empty: the text as a whole
  std::string what;

  // "FILE:LINE: FIELD: WHAT", without the parts that are unknown.
  std::string Text(std::string_view file) const;
};

// Where the fields of a message stood, and what is wrong with them.
class Diagnosis {
 public:
  void SetLine(const std::string& field, int line) { lines_[field] = line; }
  // Whether the field stands in the text, with whatever value.
  bool IsGiven(std::string_view field) const { return lines_.contains(field); }
  // The line of a field or, where it was left out, of what it belongs to.
  int LineOf(std::string_view field) const;

  void Add(int line, std::string field, std::string what);
  // Says nothing when this field, or what it belongs to, is already known to be wrong: one fault, one error.
  void AddUnlessKnown(std::string field, std::string what);
  // Whether a field inside this one is known to be wrong.
  bool IsWrongInside(const std::string& field) const;
  // Silences AddUnlessKnown about a field (one that was probably meant by another name).
  void MarkKnown(const std::string& field) { wrong_.insert(field); }

  // In the order of lines.
  std::vector<ConfigError> Take();

 private:
  std::map<std::string, int, std::less<>> lines_;
  std::set<std::string, std::less<>> wrong_;
  std::vector<ConfigError> errors_;
};

void ReadYaml(std::string_view yaml, google::protobuf::Message* message, Diagnosis* diagnosis);

}  // namespace evenmatch
