#include "sim/measures.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace evenmatch {
namespace {

constexpr size_t kMostSlices = 1'000;  // whatever comes later counts in the last one

uint64_t Positive(int64_t value) { return static_cast<uint64_t>(std::max<int64_t>(value, 0)); }

}  // namespace

RatingBands::RatingBands(std::vector<MilliPoints> sample) {
  std::sort(sample.begin(), sample.end());
  for (size_t i = 0; i < kPercents.size(); ++i) {
    borders_[i] = sample[(sample.size() - 1) * static_cast<size_t>(kPercents[i]) / 100];
  }
}

size_t RatingBands::BandOf(MilliPoints rating) const {
  return static_cast<size_t>(std::upper_bound(borders_.begin(), borders_.end(), rating) - borders_.begin());
}

std::string RatingBands::Name(size_t band) {
  if (band == 0) return absl::StrCat("lowest ", kPercents[0], " %");
  if (band == kPercents.size()) return absl::StrCat("highest ", 100 - kPercents.back(), " %");
  return absl::StrCat(kPercents[band - 1], "-", kPercents[band], " %");
}

MilliPoints RatingOf(const Ticket& ticket, MilliPoints start_value) {
  int64_t sum = 0;
  for (const Player& player : ticket.players) sum += player.value == kNoValue ? start_value : player.value;
  return static_cast<MilliPoints>(sum / static_cast<int64_t>(ticket.players.size()));
}

Judge::Judge(const Catalog& catalog, const std::vector<uint32_t>& queues, const RatingBands& bands, Micros start,
             Micros from, Micros slice)
    : catalog_(catalog),
      bands_(bands),
      start_(start),
      from_(from),
      slice_(slice),
      of_queue_(catalog.queues.size(), -1) {
  CHECK_GT(slice, 0);
  for (const uint32_t queue : queues) {
    const QueueRules& rules = catalog.queues[queue];
    of_queue_[queue] = static_cast<int>(measures_.size());
    QueueMeasures& measures = measures_.emplace_back();
    measures.queue = rules.name;
    measures.team_count = rules.team_count;
    measures.team_size = rules.team_size;
    measures.start_value = rules.start_value;
    measures.matches.regions.resize(rules.regions.regions.size());
  }
}

template <typename Count>
void Judge::CountTicket(const Ticket& ticket, QueueMeasures* queue, Count count) const {
  count(&queue->all);
  count(&queue->bands[bands_.BandOf(RatingOf(ticket, queue->start_value))]);
  count(&queue->parties[static_cast<int>(ticket.players.size())]);
}

SliceMeasures& Judge::SliceAt(Micros at, QueueMeasures* queue) const {
  const size_t slice = std::min(static_cast<size_t>((at - start_) / slice_), kMostSlices - 1);
  if (slice >= queue->slices.size()) queue->slices.resize(slice + 1);
  return queue->slices[slice];
}

void Judge::Observe(const Event& event) {
  switch (event.kind) {
    case EventKind::kQueued:
      for (const QueueChoice& choice : event.ticket->queues) {
        QueueMeasures* queue = Of(choice.queue);
        if (queue == nullptr) continue;
        ++SliceAt(event.at, queue).tickets;
        if (event.at < from_) continue;
        CountTicket(*event.ticket, queue, [&](TicketMeasures* measures) {
          ++measures->tickets;
          measures->players += event.ticket->players.size();
        });
      }
      return;
    case EventKind::kCancelled:
    case EventKind::kExpired:
      if (event.queued_at < from_) return;
      for (const QueueChoice& choice : event.ticket->queues) {
        QueueMeasures* queue = Of(choice.queue);
        if (queue == nullptr) continue;
        CountTicket(*event.ticket, queue, [&](TicketMeasures* measures) {
          ++(event.kind == EventKind::kExpired ? measures->expired : measures->cancelled);
        });
      }
      return;
    case EventKind::kMatchFormed:
      return ObserveMatch(*event.match);
    case EventKind::kMatched:
      return ObserveMatched(event);
    default:
      return;
  }
}

void Judge::ObserveMatched(const Event& event) {
  for (const QueueChoice& choice : event.ticket->queues) {
    QueueMeasures* queue = Of(choice.queue);
    if (queue == nullptr) continue;
    const bool here = choice.queue == event.match->queue;
    const uint64_t wait = Positive(event.at - event.queued_at);
    if (here) SliceAt(event.at, queue).wait.Add(wait);
    if (event.queued_at < from_) continue;
    if (!here) {
      CountTicket(*event.ticket, queue, [](TicketMeasures* measures) { ++measures->elsewhere; });
      continue;
    }
    CountTicket(*event.ticket, queue, [&](TicketMeasures* measures) {
      ++measures->matched;
      measures->wait.Add(wait);
      measures->gap.Add(game_.gap);
      measures->favourite.Add(game_.favourite);
      measures->quality.Add(game_.quality);
    });
  }
}

void Judge::ObserveMatch(const Match& match) {
  QueueMeasures* queue = Of(match.queue);
  if (queue == nullptr) return;
  absl::InlinedVector<std::pair<int64_t, int64_t>, 2> teams(match.win_chance.size());  // sum of ratings, players
  int heads = 0;
  for (const Match::Side& side : match.sides) {
    auto& [sum, players] = teams[static_cast<size_t>(side.team)];
    for (size_t i = 0; i < side.ticket->players.size(); ++i) {
      sum += PlayerValueIn(*side.ticket, side.ticket->queues[side.choice], i, queue->start_value);
    }
    players += static_cast<int64_t>(side.ticket->players.size());
    heads += static_cast<int>(side.ticket->players.size());
  }
  int64_t strongest = std::numeric_limits<int64_t>::min(), weakest = std::numeric_limits<int64_t>::max();
  for (const auto& [sum, players] : teams) {
    if (players == 0) continue;
    strongest = std::max(strongest, sum / players);
    weakest = std::min(weakest, sum / players);
  }
  game_.gap = Positive(strongest - weakest);
  game_.favourite = Positive(*std::max_element(match.win_chance.begin(), match.win_chance.end()));
  game_.quality = Positive(match.quality);
  SliceMeasures& slice = SliceAt(match.formed_at, queue);
  ++slice.matches;
  slice.gap.Add(game_.gap);
  if (match.formed_at < from_) return;

  MatchMeasures& measures = queue->matches;
  ++measures.matches;
  ++measures.heads[heads];
  measures.even += game_.favourite <= static_cast<uint64_t>(MatchMeasures::kEven);
  measures.gap.Add(game_.gap);
  measures.favourite.Add(game_.favourite);
  measures.quality.Add(game_.quality);
  measures.spread.Add(Positive(match.spread));
  measures.longest_wait.Add(Positive(match.longest_wait));
  const auto stage = static_cast<size_t>(match.stage);
  if (stage >= measures.stages.size()) measures.stages.resize(stage + 1);
  ++measures.stages[stage].matches;
  measures.stages[stage].longest_wait.Add(Positive(match.longest_wait));
  measures.stages[stage].gap.Add(game_.gap);
  for (const TermCost& cost : match.costs) {
    TermMeasures& term = measures.terms[static_cast<size_t>(cost.term)];
    ++term.matches;
    term.paid += cost.cost > 0;
    term.measure += cost.measure;
    term.cost += cost.cost;
  }
  ObserveRoles(match, &measures);
  ObserveLatency(match, &measures);
}

void Judge::ObserveRoles(const Match& match, MatchMeasures* measures) const {
  if (match.roles.empty()) return;
  absl::InlinedVector<uint64_t, 2> fills(match.win_chance.size(), 0);
  size_t at = 0;
  for (const Match::Side& side : match.sides) {
    for (size_t i = 0; i < side.ticket->players.size(); ++i) fills[side.team] += match.roles[at++].fill;
  }
  measures->seats_with_role += match.roles.size();
  for (const uint64_t count : fills) measures->fills += count;
  const auto [fewest, most] = std::minmax_element(fills.begin(), fills.end());
  measures->fill_difference.Add(*most - *fewest);
}

void Judge::ObserveLatency(const Match& match, MatchMeasures* measures) const {
  if (match.region < 0) return;
  const std::string& region = catalog_.queues[match.queue].regions.regions[static_cast<size_t>(match.region)];
  ++measures->regions[static_cast<size_t>(match.region)];
  for (const Match::Side& side : match.sides) {
    for (const Player& player : side.ticket->players) {
      if (player.details == nullptr) continue;
      const auto& latencies = player.details->latency_ms;
      const auto here = latencies.find(region);
      if (here == latencies.end()) continue;
      int32_t best = here->second;
      for (const auto& [name, latency] : latencies) best = std::min(best, latency);
      measures->latency.Add(Positive(here->second));
      measures->detour.Add(Positive(here->second - best));
    }
  }
}

}  // namespace evenmatch
