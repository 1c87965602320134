#include "sim/games.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/strings.h"
#include "rating/win_chance.h"

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

std::optional<Micros> ParseTime(const std::string& text) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime("%Y-%m-%d%ET%H:%M:%E*S%Ez", text, &time, &error) &&
      !absl::ParseTime("%Y-%m-%d%ET%H:%M:%E*S", text, &time, &error)) {
    return std::nullopt;
  }
  return absl::ToUnixMicros(time);
}

// Ratings of players by their results.
class Elo {
 public:
  // What the two had before this game; `points_a` are the basis points that the first scored.
  std::array<MilliPoints, 2> Play(const std::string& a, const std::string& b, BasisPoints points_a) {
    constexpr int64_t kK = 32 * kPoint;
    // No reference is kept across the second look-up, which may move the first.
    const std::array<MilliPoints, 2> before{RatingOf(a), RatingOf(b)};
    const int64_t gain = kK * (points_a - WinChance(before[0] - before[1])) / kCertain;
    ratings_[a] += static_cast<MilliPoints>(gain);
    ratings_[b] -= static_cast<MilliPoints>(gain);
    return before;
  }

 private:
  MilliPoints RatingOf(const std::string& player) { return ratings_.try_emplace(player, 1500 * kPoint).first->second; }

  absl::flat_hash_map<std::string, MilliPoints> ratings_;
};

std::optional<BasisPoints> ParseResult(const std::string& text) {
  if (text == "A") return kCertain;
  if (text == "B") return 0;
  if (text == "D") return kCertain / 2;
  return std::nullopt;
}

// Where the columns stand that we read; kNone: there is no such column.
struct Columns {
  static constexpr size_t kNone = static_cast<size_t>(-1);

  explicit Columns(const std::vector<std::string>& header) : count(header.size()) {
    const auto find = [&header](std::string_view name) {
      const auto at = std::find(header.begin(), header.end(), name);
      return at == header.end() ? kNone : static_cast<size_t>(at - header.begin());
    };
    for (const auto& [name_a, name_b] : kColumns) {
      if (rated()) break;
      rating_a = find(name_a);
      rating_b = find(name_b);
    }
    player_a = find("player_a");
    player_b = find("player_b");
    result = find("result");
    time = find("ended_at");
    if (time == kNone) time = find("played_at");
  }

  bool rated() const { return rating_a != kNone && rating_b != kNone; }
  bool played() const { return player_a != kNone && player_b != kNone && result != kNone; }

  size_t count;
  size_t rating_a = kNone, rating_b = kNone, player_a = kNone, player_b = kNone, result = kNone, time = kNone;
};

}  // namespace

absl::StatusOr<std::vector<Game>> ReadGames(std::string_view csv) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (csv.substr(0, kByteOrderMark.size()) == kByteOrderMark) csv.remove_prefix(kByteOrderMark.size());
  Rows rows(csv);
  std::vector<std::string> fields;
  if (!rows.Next(&fields)) return absl::InvalidArgumentError("the file has no header row");
  const Columns columns(fields);
  if (!columns.rated() && !columns.played()) {
    return absl::InvalidArgumentError(
        "line 1: no columns with both ratings, such as white_rating and black_rating, or rating_a and rating_b, and "
        "none to compute them from: player_a, player_b and result");
  }
  const auto wrong = [&rows](const std::string& text, const char* what) {
    return absl::InvalidArgumentError(absl::StrCat("line ", rows.line(), ": \"", text, "\" is not ", what));
  };

  std::vector<Game> games;
  Elo elo;
  while (rows.Next(&fields)) {
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != columns.count) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", rows.line(), ": ", fields.size(), " fields where the header has ", columns.count));
    }
    Game game;
    if (columns.rated()) {
      const std::array<const std::string*, 2> texts{&fields[columns.rating_a], &fields[columns.rating_b]};
      for (size_t i = 0; i < 2; ++i) {
        const std::optional<MilliPoints> rating = ParseRating(*texts[i]);
        if (!rating.has_value()) return wrong(*texts[i], "a rating between -100000 and 100000");
        game.ratings[i] = *rating;
      }
    } else {
      const std::string &a = fields[columns.player_a], &b = fields[columns.player_b];
      const std::optional<BasisPoints> points = ParseResult(fields[columns.result]);
      if (!points.has_value()) return wrong(fields[columns.result], "a result: A, B or D");
      if (a == b) return wrong(b, "another player");
      game.ratings = elo.Play(a, b, *points);
    }
    if (columns.time != Columns::kNone) {
      const std::optional<Micros> at = ParseTime(fields[columns.time]);
      if (!at.has_value()) return wrong(fields[columns.time], "a time like 2004-08-06T18:13:50");
      if (!games.empty() && *at < games.back().at) return wrong(fields[columns.time], "later than the row before");
      game.at = *at;
    }
    games.push_back(game);
  }
  if (rows.unclosed_quote()) {
    return absl::InvalidArgumentError(absl::StrCat("line ", rows.line(), ": a quote is never closed"));
  }
  if (games.empty()) return absl::InvalidArgumentError("the file has no games");
  return games;
}

}  // namespace evenmatch
