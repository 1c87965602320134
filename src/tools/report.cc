#include "tools/report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json_object.h"
#include "base/text.h"
#include "model/units.h"
#include "tools/client.h"

namespace evenmatch {
namespace {

double PerSecond(uint64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

uint64_t SumOf(const std::map<int, uint64_t>& counts) {
  uint64_t sum = 0;
  for (const auto& [code, count] : counts) sum += count;
  return sum;
}

std::string Percentiles(const Histogram& histogram, double unit, const char* name, bool far) {
  std::string text = absl::StrFormat("p50 %.1f %s, p90 %.1f, p99 %.1f", histogram.Percentile(50) / unit, name,
                                     histogram.Percentile(90) / unit, histogram.Percentile(99) / unit);
  if (far) absl::StrAppendFormat(&text, ", p99.9 %.1f", histogram.Percentile(99.9) / unit);
  return text;
}

std::string CodesText(const std::map<int, uint64_t>& counts) {
  std::string text;
  for (const auto& [code, count] : counts) {
    absl::StrAppend(&text, text.empty() ? " (" : ", ", CodeName(code), " ", Grouped(count));
  }
  return text.empty() ? text : text + ")";
}

JsonObject ByCode(const std::map<int, uint64_t>& counts) {
  JsonObject object;
  for (const auto& [code, count] : counts) object.Add(CodeName(code), count);
  return object;
}

void AddPercentiles(const std::string& prefix, const std::string& suffix, const Histogram& histogram, double unit,
                    JsonObject* object) {
  object->Add(prefix + "_mean" + suffix, histogram.mean() / unit);
  for (const auto& [name, percent] : {std::pair{"_p50", 50.0}, {"_p90", 90.0}, {"_p99", 99.0}, {"_p999", 99.9}}) {
    object->Add(prefix + name + suffix, static_cast<double>(histogram.Percentile(percent)) / unit);
  }
  object->Add(prefix + "_max" + suffix, static_cast<double>(histogram.max()) / unit);
}

}  // namespace

double Report::enqueued_per_s() const {
  return PerSecond(accepted, std::max(sending_seconds, static_cast<double>(tally.last_accepted_at) / kSecond));
}

double Report::matched_per_s() const { return PerSecond(tally.matched_in_time, sending_seconds); }

std::string Report::Text() const {
  std::string text;
  absl::StrAppend(&text, Grouped(tickets), " tickets with ", Grouped(players), " players for queue \"", queue, "\" in ",
                  absl::StrFormat("%.1f s", sending_seconds), ", ", mode, ", run ", run, "\n");
  const auto line = [&text](const char* name, const std::string& what) {
    absl::StrAppendFormat(&text, "  %-12s%s\n", name, what);
  };
  line("enqueued", absl::StrCat(Grouped(accepted), ", ", Grouped(static_cast<uint64_t>(enqueued_per_s())),
                                " a second; ", Percentiles(tally.enqueue_us, kMillisecond, "ms", true)));
  std::string matches = absl::StrCat(Grouped(matched), " in ", Grouped(tally.matches), " matches");
  if (tally.with_others > 0) absl::StrAppend(&matches, ", ", Grouped(tally.with_others), " of them with others");
  if (tally.match_us.count() > 0) {
    absl::StrAppend(&matches, ", ", Grouped(static_cast<uint64_t>(matched_per_s())), " a second; ",
                    Percentiles(tally.match_us, kMillisecond, "ms", true));
  }
  line("matched", matches);
  line("gap", absl::StrFormat("mean %.1f points, %s", tally.gap.mean() / kPoint,
                              Percentiles(tally.gap, kPoint, "points", false)));
  if (file_gap.has_value()) {
    line("  in file", absl::StrFormat("mean %.1f points, %s", file_gap->mean() / kPoint,
                                      Percentiles(*file_gap, kPoint, "points", false)));
  }
  line("spread", absl::StrFormat("mean %.1f points, %s", tally.spread.mean() / kPoint,
                                 Percentiles(tally.spread, kPoint, "points", false)));
  line("favourite", absl::StrFormat("wins with %.1f %% on average, %s", tally.favourite.mean() / 100,
                                    Percentiles(tally.favourite, 100, "%", false)));
  line("not matched",
       absl::StrCat(Grouped(waiting), " still waiting, ", Grouped(expired), " expired, ", Grouped(cancelled),
                    " cancelled, ", Grouped(refused), " refused", CodesText(tally.refused)));
  if (unsent + unanswered + tally.resumes + SumOf(tally.errors) > 0) {
    line("trouble", absl::StrCat(Grouped(unsent), " not sent in time, ", Grouped(unanswered), " without an answer, ",
                                 Grouped(tally.resumes), " streams resumed, ", Grouped(SumOf(tally.errors)), " errors",
                                 CodesText(tally.errors)));
  }
  line("promises",
       absl::StrCat(Grouped(lost), " lost, ", Grouped(tally.doubled), " doubled, ", Grouped(tally.contradicted),
                    " told two ends, ", Grouped(tally.malformed), " malformed matches: ", sound() ? "kept" : "BROKEN"));
  return text;
}

std::string Report::Json() const {
  JsonObject members;
  members.Add("run", run);
  members.Add("queue", queue);
  members.Add("mode", mode);
  members.Add("tickets", tickets);
  members.Add("players", players);
  members.Add("sending_seconds", sending_seconds);
  members.Add("accepted", accepted);
  members.Add("enqueued_per_s", enqueued_per_s());
  members.Add("matched", matched);
  members.Add("matches", tally.matches);
  members.Add("with_others", tally.with_others);
  members.Add("matched_per_s", matched_per_s());
  members.Add("lost", lost);
  members.Add("doubled", tally.doubled);
  members.Add("contradicted", tally.contradicted);
  members.Add("malformed", tally.malformed);
  members.Add("waiting", waiting);
  members.Add("expired", expired);
  members.Add("cancelled", cancelled);
  members.Add("refused", refused);
  members.Add("refused_by_code", ByCode(tally.refused));
  members.Add("unsent", unsent);
  members.Add("unanswered", unanswered);
  members.Add("resumes", tally.resumes);
  members.Add("errors", SumOf(tally.errors));
  members.Add("errors_by_code", ByCode(tally.errors));
  AddPercentiles("enqueue", "_ms", tally.enqueue_us, kMillisecond, &members);
  AddPercentiles("match", "_ms", tally.match_us, kMillisecond, &members);
  AddPercentiles("gap", "", tally.gap, kPoint, &members);
  AddPercentiles("spread", "", tally.spread, kPoint, &members);
  AddPercentiles("favourite", "", tally.favourite, kCertain, &members);
  if (file_gap.has_value()) AddPercentiles("file_gap", "", *file_gap, kPoint, &members);
  return members.Text() + "\n";
}

}  // namespace evenmatch
