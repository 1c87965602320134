#include "tools/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/strings.h"

namespace evenmatch {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kColumns{{
    {"white_rating", "black_rating"},
    {"rating_a", "rating_b"},
    {"rating_1", "rating_2"},
    {"player_a_rating", "player_b_rating"},
}};

// Takes rows off the front of a text.
class Rows {
 public:
  explicit Rows(std::string_view csv) : rest_(csv) {}

  // The next row into `fields`; false at the end, or at a quote that nobody closes.
  bool Next(std::vector<std::string>* fields) {
    fields->clear();
    if (rest_.empty()) return false;
    line_ = next_line_++;
    while (true) {
      std::string field;
      if (!rest_.empty() && rest_.front() == '"') {
        if (!TakeQuoted(&field)) return false;
      }
      const size_t end = std::min(rest_.find_first_of(",\r\n"), rest_.size());
      field += rest_.substr(0, end);
      rest_.remove_prefix(end);
      fields->push_back(std::move(field));
      if (!rest_.empty() && rest_.front() == ',') {
        rest_.remove_prefix(1);
        continue;
      }
      if (!rest_.empty() && rest_.front() == '\r') rest_.remove_prefix(1);
      if (!rest_.empty() && rest_.front() == '\n') rest_.remove_prefix(1);
      return true;
    }
  }

  int line() const { return line_; }  // where the last row began
  bool unclosed_quote() const { return unclosed_quote_; }

 private:
  bool TakeQuoted(std::string* field) {
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\n') ++next_line_;
      if (rest_[i] != '"') {
        field->push_back(rest_[i]);
      } else if (i + 1 < rest_.size() && rest_[i + 1] == '"') {
        field->push_back('"');
        ++i;
      } else {
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    unclosed_quote_ = true;
    return false;
  }

  std::string_view rest_;
  int line_ = 0;
  int next_line_ = 1;
  bool unclosed_quote_ = false;
};

std::optional<MilliPoints> ParseRating(const std::string& text) {
  double points;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), points);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(std::abs(points) * kPoint <= kMaxValue)) return std::nullopt;  // NaN too
  return static_cast<MilliPoints>(std::llround(points * kPoint));
}

}  // namespace

absl::StatusOr<std::vector<std::pair<MilliPoints, MilliPoints>>> ReadGames(std::string_view csv) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (csv.substr(0, kByteOrderMark.size()) == kByteOrderMark) csv.remove_prefix(kByteOrderMark.size());
  Rows rows(csv);
  std::vector<std::string> fields;
  if (!rows.Next(&fields)) return absl::InvalidArgumentError("the file has no header row");
  const auto column = [&fields](std::string_view name) {
    return static_cast<size_t>(std::find(fields.begin(), fields.end(), name) - fields.begin());
  };
  size_t a = fields.size(), b = fields.size();
  for (const auto& [name_a, name_b] : kColumns) {
    if (a < fields.size() && b < fields.size()) break;
    a = column(name_a);
    b = column(name_b);
  }
  if (a >= fields.size() || b >= fields.size()) {
    return absl::InvalidArgumentError(
        "line 1: no columns with both ratings, such as white_rating and black_rating, or rating_a and rating_b");
  }
  const size_t columns = fields.size();

  std::vector<std::pair<MilliPoints, MilliPoints>> games;
  while (rows.Next(&fields)) {
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != columns) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", rows.line(), ": ", fields.size(), " fields where the header has ", columns));
    }
    const std::optional<MilliPoints> rating_a = ParseRating(fields[a]), rating_b = ParseRating(fields[b]);
    if (!rating_a.has_value() || !rating_b.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", rows.line(), ": \"", fields[rating_a.has_value() ? b : a],
                                                     "\" is not a rating between -100000 and 100000"));
    }
    games.emplace_back(*rating_a, *rating_b);
  }
  if (rows.unclosed_quote()) {
    return absl::InvalidArgumentError(absl::StrCat("line ", rows.line(), ": a quote is never closed"));
  }
  if (games.empty()) return absl::InvalidArgumentError("the file has no games");
  return games;
}

}  // namespace evenmatch
