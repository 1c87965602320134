// JsonObject: writes the members of a JSON object one after the other, on one line.
//
// Errors:  none; texts may be any bytes (see json.h), and a number that JSON does not have becomes null.
// Threads: none.
#pragma once

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/strings.h"

namespace evenmatch {

class JsonObject {
 public:
  void Add(std::string_view name, std::string_view text) { AddRaw(name, JsonQuoted(text)); }
  void Add(std::string_view name, const char* text) { Add(name, std::string_view(text)); }
  void Add(std::string_view name, std::integral auto number) { AddRaw(name, absl::StrCat(number)); }
  void Add(std::string_view name, double number) {
    AddRaw(name, std::isfinite(number) ? absl::StrFormat("%.4f", number) : std::string("null"));
  }
  void Add(std::string_view name, const JsonObject& object) { AddRaw(name, object.Text()); }
  void Add(std::string_view name, const std::vector<JsonObject>& objects) {
    std::string list = "[";
    for (const JsonObject& object : objects) absl::StrAppend(&list, list.size() > 1 ? "," : "", object.Text());
    AddRaw(name, list + "]");
  }

  std::string Text() const { return absl::StrCat("{", text_, "}"); }

 private:
  void AddRaw(std::string_view name, const std::string& value) {
    absl::StrAppend(&text_, text_.empty() ? "" : ",", JsonQuoted(name), ":", value);
  }

  std::string text_;
};

}  // namespace evenmatch
