// A comparison for programs.
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_object.h"
#include "sim/comparison.h"

namespace evenmatch {
namespace {

JsonObject DistributionOf(const Histogram& histogram, double unit) {
  JsonObject object;
  object.Add("count", histogram.count());
  object.Add("mean", histogram.mean() / unit);
  for (const auto& [name, percent] : {std::pair{"p1", 1.0},
                                      {"p5", 5.0},
                                      {"p10", 10.0},
                                      {"p25", 25.0},
                                      {"p50", 50.0},
                                      {"p75", 75.0},
                                      {"p90", 90.0},
                                      {"p95", 95.0},
                                      {"p99", 99.0},
                                      {"p999", 99.9}}) {
    object.Add(name, static_cast<double>(histogram.Percentile(percent)) / unit);
  }
  object.Add("max", static_cast<double>(histogram.max()) / unit);
  return object;
}

JsonObject TicketsOf(const TicketMeasures& measures) {
  JsonObject object;
  object.Add("tickets", measures.tickets);
  object.Add("players", measures.players);
  object.Add("matched", measures.matched);
  object.Add("elsewhere", measures.elsewhere);
  object.Add("cancelled", measures.cancelled);
  object.Add("expired", measures.expired);
  object.Add("waiting", measures.waiting());
  object.Add("wait_seconds", DistributionOf(measures.wait, kSecond));
  object.Add("gap", DistributionOf(measures.gap, kPoint));
  object.Add("favourite", DistributionOf(measures.favourite, kCertain));
  object.Add("quality", DistributionOf(measures.quality, 1));
  return object;
}

JsonObject MatchesOf(const MatchMeasures& measures) {
  JsonObject object;
  object.Add("matches", measures.matches);
  object.Add("even", measures.even);
  object.Add("gap", DistributionOf(measures.gap, kPoint));
  object.Add("spread", DistributionOf(measures.spread, kPoint));
  object.Add("favourite", DistributionOf(measures.favourite, kCertain));
  object.Add("quality", DistributionOf(measures.quality, 1));
  object.Add("longest_wait_seconds", DistributionOf(measures.longest_wait, kSecond));
  std::vector<JsonObject> stages;
  for (size_t i = 0; i < measures.stages.size(); ++i) {
    JsonObject& stage = stages.emplace_back();
    stage.Add("stage", i);
    stage.Add("matches", measures.stages[i].matches);
    stage.Add("longest_wait_seconds", DistributionOf(measures.stages[i].longest_wait, kSecond));
    stage.Add("gap", DistributionOf(measures.stages[i].gap, kPoint));
  }
  object.Add("stages", stages);
  JsonObject heads;
  for (const auto& [players, matches] : measures.heads) heads.Add(absl::StrCat(players), matches);
  object.Add("by_players", heads);
  JsonObject terms;
  for (size_t i = 0; i < kQualityTerms; ++i) {
    const TermMeasures& measured = measures.terms[i];
    if (measured.matches == 0) continue;
    JsonObject term;
    term.Add("matches", measured.matches);
    term.Add("paid", measured.paid);
    term.Add("measure", measured.measure);
    term.Add("cost", measured.cost);
    terms.Add(TermName(static_cast<QualityTerm>(i)), term);
  }
  object.Add("terms", terms);
  object.Add("seats_with_role", measures.seats_with_role);
  object.Add("fills", measures.fills);
  object.Add("fill_difference", DistributionOf(measures.fill_difference, 1));
  object.Add("latency_ms", DistributionOf(measures.latency, 1));
  object.Add("latency_beyond_best_ms", DistributionOf(measures.detour, 1));
  return object;
}

JsonObject QueueOf(const QueueMeasures& measures, Micros slice) {
  JsonObject object;
  object.Add("queue", measures.queue);
  object.Add("team_count", measures.team_count);
  object.Add("team_size", measures.team_size);
  object.Add("all", TicketsOf(measures.all));
  object.Add("matches", MatchesOf(measures.matches));
  std::vector<JsonObject> bands;
  for (size_t i = 0; i < RatingBands::kCount; ++i) {
    JsonObject& band = bands.emplace_back();
    band.Add("band", RatingBands::Name(i));
    band.Add("measures", TicketsOf(measures.bands[i]));
  }
  object.Add("by_rating", bands);
  std::vector<JsonObject> parties;
  for (const auto& [size, measured] : measures.parties) {
    JsonObject& party = parties.emplace_back();
    party.Add("size", size);
    party.Add("measures", TicketsOf(measured));
  }
  object.Add("by_party", parties);
  std::vector<JsonObject> slices;
  for (size_t i = 0; i < measures.slices.size(); ++i) {
    const SliceMeasures& measured = measures.slices[i];
    JsonObject& entry = slices.emplace_back();
    entry.Add("from_seconds", static_cast<double>(static_cast<Micros>(i) * slice) / kSecond);
    entry.Add("tickets", measured.tickets);
    entry.Add("matches", measured.matches);
    entry.Add("wait_p50_seconds", static_cast<double>(measured.wait.Percentile(50)) / kSecond);
    entry.Add("wait_p95_seconds", static_cast<double>(measured.wait.Percentile(95)) / kSecond);
    entry.Add("gap_mean", measured.gap.mean() / kPoint);
  }
  object.Add("over_time", slices);
  return object;
}

}  // namespace

std::string ComparisonJson(const Comparison& comparison) {
  JsonObject object;
  JsonObject scenario;
  for (const auto& [name, value] : comparison.scenario) scenario.Add(name, value);
  object.Add("scenario", scenario);
  object.Add("seed", comparison.seed);
  std::vector<JsonObject> configurations;
  for (const Contender& contender : comparison.contenders) {
    const Chronicle& chronicle = contender.chronicle;
    JsonObject& entry = configurations.emplace_back();
    entry.Add("name", contender.name);
    entry.Add("signature", SignatureText(chronicle.signature));
    entry.Add("events", chronicle.events);
    entry.Add("tickets", chronicle.tickets);
    entry.Add("players", chronicle.players);
    entry.Add("refused", chronicle.refused());
    std::vector<JsonObject> refusals;
    for (const auto& [code, refused] : chronicle.refusals) {
      JsonObject& refusal = refusals.emplace_back();
      refusal.Add("code", absl::StatusCodeToString(code));
      refusal.Add("tickets", refused.tickets);
      refusal.Add("first", refused.first);
    }
    entry.Add("refusals", refusals);
    entry.Add("matches", chronicle.matches);
    entry.Add("most_waiting", chronicle.most_waiting);
    entry.Add("span_seconds", static_cast<double>(chronicle.span) / kSecond);
    std::vector<JsonObject> queues;
    for (const QueueMeasures& queue : chronicle.queues) queues.push_back(QueueOf(queue, chronicle.slice));
    entry.Add("queues", queues);
  }
  object.Add("configurations", configurations);
  return object.Text() + "\n";
}

}  // namespace evenmatch
