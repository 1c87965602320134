#include "matching/rule_book.h"

#include <cstdlib>

#include "matching/strength.h"
#include "matching/trait_maker.h"
#include "rating/win_chance.h"

namespace evenmatch {
namespace {

QualityRules QualityOf(const QueueRules& rules) {
  if (rules.quality.given()) return rules.quality;
  return rules.duel() ? QualityRules::Duel() : QualityRules::Teams();
}

bool SameTerms(const QualityRules& a, const QualityRules& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), [](const auto& one, const auto& other) {
    return one.weight == other.weight && (one.weight == 0 || one.scale == other.scale);
  });
}

bool IsPlain(const QueueRules& rules, const QualityRules& quality) {
  return rules.wait_basis == WaitBasis::kStrictest && rules.max_difference == kUnlimitedWindow &&
         rules.window.deviation_factor == 0 && !rules.tiers.on() && !rules.roles.on() && !rules.regions.on() &&
         rules.attributes.empty() && !rules.shelter.on() && !rules.streak.on() && rules.party.min_size <= 1 &&
         SameTerms(quality, rules.duel() ? QualityRules::Duel() : QualityRules::Teams());
}

std::vector<Micros> StagesOf(const QueueRules& rules) {
  std::vector<Micros> stages;
  if (rules.window.steps.empty()) {
    stages.push_back(WaitForWindow(rules.window, rules.window.max));
  } else {
    for (size_t i = 1; i < rules.window.steps.size(); ++i) {
      if (rules.window.steps[i].width > rules.window.steps[i - 1].width) stages.push_back(rules.window.steps[i].after);
    }
  }
  if (rules.tiers.on()) stages.insert(stages.end(), {rules.tiers.neighbours_after, rules.tiers.all_after});
  if (rules.shelter.on()) stages.push_back(rules.shelter.own_pool_for);
  if (rules.streak.on()) stages.push_back(rules.streak.after);
  for (const RegionRules::Step& step : rules.regions.steps) stages.push_back(step.after);
  for (const PartyRules::MirrorStep& step : rules.party.mirror) stages.push_back(step.after);
  if (rules.roles.on()) stages.push_back(rules.roles.fill_after);
  for (const FewerPlayers& step : rules.fewer) stages.push_back(step.after);
  for (const AttributeRule& rule : rules.attributes) {
    if (rule.required) stages.push_back(rule.required_for);
  }
  std::erase_if(stages, [](Micros at) { return at <= 0 || at == kNever; });
  std::sort(stages.begin(), stages.end());
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  return stages;
}

MilliPoints GapOf(const Waiter& a, const Waiter& b) { return std::abs(a.entry->value - b.entry->value); }

// Whether the two agree in one attribute.
bool Agree(const AttributeRule& rule, const Traits::Attribute& a, const Traits::Attribute& b) {
  if (!a.present || !b.present) {
    if (rule.missing == Missing::kMeetsMissing) return !a.present && !b.present;
    return rule.missing == Missing::kMeetsAnybody;
  }
  switch (rule.compare) {
    case AttributeRule::Compare::kEqual:
      return a.number == b.number;
    case AttributeRule::Compare::kDistance:
      return std::abs(a.number - b.number) <= rule.distance;
    case AttributeRule::Compare::kOverlap: {
      auto one = a.texts.begin();
      auto other = b.texts.begin();
      while (one != a.texts.end() && other != b.texts.end()) {
        if (*one == *other) return true;
        ++(*one < *other ? one : other);
      }
      return false;
    }
  }
  return false;
}

// Thousandths of a relation that fades with the longer wait of two.
int64_t Faded(Micros fade, const Waiter& a, const Waiter& b, Micros now) {
  const Micros wait = std::max<Micros>(now - std::min(a.entry->queued_at, b.entry->queued_at), 0);
  return wait >= fade ? 0 : 1000 * (fade - wait) / fade;
}

bool Related(const Traits::People Traits::*relation, const Waiter& a, const Waiter& b) {
  return Meet(a.traits->*relation, b.traits->players) || Meet(b.traits->*relation, a.traits->players);
}

}  // namespace

RuleBook::RuleBook(const QueueRules& rules)
    : rules_(rules), quality_(QualityOf(rules)), plain_(IsPlain(rules, quality_)), stages_(StagesOf(rules)) {
  for (const Rule rule : kPairRules) {
    const bool active = rule == Rule::kMaxDifference ? rules.max_difference != kUnlimitedWindow
                        : rule == Rule::kTier        ? rules.tiers.on()
                        : rule == Rule::kShelter     ? rules.shelter.on()
                        : rule == Rule::kRegion      ? rules.regions.on()
                        : rule == Rule::kBlock       ? rules.blocks
                                                     : true;
    if (active) active_.push_back(rule);
  }
  for (size_t term = 0; term < kQualityTerms; ++term) {
    if (quality_.terms[term].weight != 0) weighted_.push_back(static_cast<QualityTerm>(term));
  }
}

bool RuleBook::NeedsTraits(const Ticket& ticket) const {
  if (!plain_) return true;
  return rules_.blocks && std::any_of(ticket.players.begin(), ticket.players.end(), [](const Player& player) {
           return player.details != nullptr && !player.details->block.empty();
         });
}

MilliPoints RuleBook::ValueOf(const Ticket& ticket, const QueueChoice& choice) const {
  return TicketStrength(rules_, ticket, choice);
}

std::unique_ptr<const Traits> RuleBook::TraitsOf(const Ticket& ticket, const QueueChoice& choice) const {
  return MakeTraits(rules_, ticket, choice);
}

Rule RuleBook::CannotPlay(const Ticket& ticket, const QueueChoice& choice, std::string* field, std::string* why) const {
  if (plain_) return RefusesParty(rules_, ticket, field, why);
  return NeverPlays(rules_, ticket, *TraitsOf(ticket, choice), field, why);
}

bool RuleBook::TakesParty(const Ticket& ticket, std::string* field, std::string* why) const {
  return RefusesParty(rules_, ticket, field, why) == Rule::kNone;
}

// Two tickets.

Micros RuleBook::AttributeWait(const Waiter& a, const Waiter& b) const {
  if (a.entry->affinity != b.entry->affinity) return kNever;
  if (a.traits == nullptr) return 0;
  Micros wait = 0;
  for (size_t i = 0; i < rules_.attributes.size(); ++i) {
    const AttributeRule& rule = rules_.attributes[i];
    if (!rule.required || rule.required_for <= wait) continue;
    if (!Agree(rule, a.traits->attributes[i], b.traits->attributes[i])) wait = rule.required_for;
  }
  return wait;
}

Micros RuleBook::TierWait(const Waiter& a, const Waiter& b) const {
  const uint32_t lower = std::min(a.traits->tier_group, b.traits->tier_group);
  const uint32_t higher = std::max(a.traits->tier_group, b.traits->tier_group);
  if (lower == higher) return 0;
  if (rules_.tiers.groups[lower].isolated || rules_.tiers.groups[higher].isolated) return kNever;
  return higher - lower == 1 ? rules_.tiers.neighbours_after : rules_.tiers.all_after;
}

Micros RuleBook::ShelterWait(const Waiter& a, const Waiter& b) const {
  if (!a.traits->sheltered && !b.traits->sheltered) return 0;
  if (GapOf(a, b) > rules_.shelter.widest) return kNever;
  return a.traits->sheltered == b.traits->sheltered ? 0 : rules_.shelter.own_pool_for;
}

Micros RuleBook::RegionWait(const Waiter& a, const Waiter& b) const {
  Micros wait = kNever;
  for (size_t region = 0; region < rules_.regions.regions.size(); ++region) {
    wait = std::min(wait, std::max(a.traits->regions[region].from, b.traits->regions[region].from));
  }
  return wait;
}

Micros RuleBook::WindowWait(const Waiter& a, const Waiter& b) const {
  const MilliPoints gap = GapOf(a, b);
  if (a.traits == nullptr) return WaitForWindow(rules_.window, gap);
  const MilliPoints missing = std::max(gap - std::min(a.traits->widening, b.traits->widening), 0);
  const Micros wait = WaitForWindow(rules_.window, missing);
  const MilliPoints ease = a.entry->value >= b.entry->value ? a.traits->ease : b.traits->ease;
  if (ease == 0 || gap == 0 || wait <= rules_.streak.after) return wait;
  return std::min(wait, std::max(rules_.streak.after, WaitForWindow(rules_.window, std::max(missing - ease, 0))));
}

Micros RuleBook::WaitFor(Rule rule, const Waiter& a, const Waiter& b) const {
  if (rule == Rule::kAttribute) return AttributeWait(a, b);
  if (rule == Rule::kWindow) return WindowWait(a, b);
  if (rule == Rule::kMaxDifference) return GapOf(a, b) > rules_.max_difference ? kNever : 0;
  if (a.traits == nullptr) return 0;
  switch (rule) {
    case Rule::kBlock:
      return rules_.blocks && Related(&Traits::blocked, a, b) ? kNever : 0;
    case Rule::kTier:
      return rules_.tiers.on() ? TierWait(a, b) : 0;
    case Rule::kShelter:
      return rules_.shelter.on() ? ShelterWait(a, b) : 0;
    case Rule::kRegion:
      return rules_.regions.on() ? RegionWait(a, b) : 0;
    default:
      return 0;
  }
}

Meeting RuleBook::Meet(const Waiter& a, const Waiter& b) const {
  if (a.traits != nullptr) {
    const Rule never = std::max(a.traits->never, b.traits->never);
    if (never != Rule::kNone) return {kNever, never};
  }
  Meeting meeting;
  for (const Rule rule : active_) {
    const Micros wait = WaitFor(rule, a, b);
    if (wait <= meeting.wait) continue;
    meeting = {wait, rule};
    if (wait == kNever) break;
  }
  return meeting;
}

// What a few numbers show comes first, attributes and people last.
bool RuleBook::MayMeet(const Waiter& a, const Waiter& b, Micros waited) const {
  if (a.entry->affinity != b.entry->affinity || GapOf(a, b) > rules_.max_difference) return false;
  if (a.traits != nullptr) {
    if (a.traits->never != Rule::kNone || b.traits->never != Rule::kNone) return false;
    if (rules_.tiers.on() && TierWait(a, b) > waited) return false;
    if (rules_.shelter.on() && ShelterWait(a, b) > waited) return false;
    if (rules_.regions.on() && RegionWait(a, b) > waited) return false;
  }
  if (WindowWait(a, b) > waited || AttributeWait(a, b) > waited) return false;
  return a.traits == nullptr || !rules_.blocks || !Related(&Traits::blocked, a, b);
}

Micros RuleBook::WaitOf(const Waiter& a, const Waiter& b, Micros now) const {
  const Waiter both[] = {a, b};
  return SetWait(both, now);
}

Micros RuleBook::From(Micros a_queued_at, Micros b_queued_at, Micros wait) const {
  if (wait == kNever) return kNever;
  const auto [first, last] = std::minmax(a_queued_at, b_queued_at);
  switch (rules_.wait_basis) {
    case WaitBasis::kStrictest:
      return last + wait;
    case WaitBasis::kOldest:
      return first + wait;
    case WaitBasis::kAverage:
      return first + (last - first + 1) / 2 + wait;
  }
  return kNever;
}

// A set.

Micros RuleBook::SetWait(std::span<const Waiter> set, Micros now) const {
  Micros shortest = kNever, longest = 0, sum = 0;
  for (const Waiter& ticket : set) {
    const Micros wait = std::max<Micros>(now - ticket.entry->queued_at, 0);
    shortest = std::min(shortest, wait);
    longest = std::max(longest, wait);
    sum += wait;
  }
  switch (rules_.wait_basis) {
    case WaitBasis::kStrictest:
      return shortest;
    case WaitBasis::kOldest:
      return longest;
    case WaitBasis::kAverage:
      return sum / static_cast<Micros>(set.size());
  }
  return 0;
}

bool RuleBook::RegionFor(std::span<const Waiter> set, Micros wait, int32_t* region) const {
  *region = -1;
  if (!rules_.regions.on() || set.empty() || set.front().traits == nullptr) return true;
  bool found = false;
  int32_t best = RegionRules::kAnyLatency;
  for (size_t at = 0; at < rules_.regions.regions.size(); ++at) {
    int32_t worst = -1;
    const bool all = std::all_of(set.begin(), set.end(), [&](const Waiter& ticket) {
      const Traits::Region& here = ticket.traits->regions[at];
      worst = std::max(worst, here.latency_ms);
      return here.from <= wait;
    });
    if (!all) continue;
    found = true;
    if (worst < 0 || worst >= best) continue;
    best = worst;
    *region = static_cast<int32_t>(at);
  }
  return found;
}

// One ticket.

MilliPoints RuleBook::WindowOf(const Waiter& ticket, Micros wait) const {
  const MilliPoints width = WindowAt(rules_.window, wait);
  if (ticket.traits == nullptr) return width;
  int64_t wide = int64_t{width} + ticket.traits->widening;
  if (ticket.traits->sheltered) wide = std::min<int64_t>(wide, rules_.shelter.widest);
  return static_cast<MilliPoints>(std::min<int64_t>(wide, rules_.max_difference));
}

Micros RuleBook::WiderAfter(const Waiter& ticket, MilliPoints width) const {
  if (width == kUnlimitedWindow) return kNever;
  if (ticket.traits == nullptr) return WaitForWindow(rules_.window, width + 1);
  if (width >= rules_.max_difference || (ticket.traits->sheltered && width >= rules_.shelter.widest)) return kNever;
  return WaitForWindow(rules_.window, width + 1 - ticket.traits->widening);
}

int RuleBook::StageAt(Micros wait) const {
  return static_cast<int>(std::upper_bound(stages_.begin(), stages_.end(), wait) - stages_.begin());
}

Micros RuleBook::NextStageAfter(Micros wait) const {
  const auto next = std::upper_bound(stages_.begin(), stages_.end(), wait);
  return next == stages_.end() ? kNever : *next;
}

// Costs.

int32_t RuleBook::Disagreements(const Waiter& a, const Waiter& b) const {
  int32_t count = 0;
  for (size_t i = 0; i < rules_.attributes.size(); ++i) {
    if (!Agree(rules_.attributes[i], a.traits->attributes[i], b.traits->attributes[i])) ++count;
  }
  return count;
}

Measures RuleBook::MeasuresOf(const Waiter& a, const Waiter& b, Micros now, int32_t region) const {
  Measures measures{};
  const bool bare = a.traits == nullptr;
  const MilliPoints gap = a.entry->value - b.entry->value;
  for (const QualityTerm term : weighted_) {
    int64_t& measure = measures[static_cast<size_t>(term)];
    switch (term) {
      case QualityTerm::kDistance:
        measure = std::abs(int64_t{gap} - (bare ? 0 : a.traits->ease - b.traits->ease));
        break;
      case QualityTerm::kEvenness:
        measure = std::abs(2 * WinChance(gap) - kCertain);
        break;
      case QualityTerm::kLatency: {
        if (bare || region < 0) break;
        const int32_t one = a.traits->regions[region].latency_ms, other = b.traits->regions[region].latency_ms;
        if (one >= 0 && other >= 0) measure = std::abs(one - other);
        break;
      }
      case QualityTerm::kParty:
        measure = std::abs(a.entry->heads - b.entry->heads);
        break;
      case QualityTerm::kFill:
        break;
      case QualityTerm::kPreference:
        if (!bare) measure = (int64_t{a.traits->preference} + b.traits->preference) / 2;
        break;
      case QualityTerm::kRecent:
        if (!bare && Related(&Traits::recent, a, b)) measure = Faded(quality_.relations_fade, a, b, now);
        break;
      case QualityTerm::kAvoid:
        if (!bare && Related(&Traits::avoided, a, b)) measure = Faded(quality_.relations_fade, a, b, now);
        break;
      case QualityTerm::kAttributes:
        if (!bare) measure = int64_t{1000} * Disagreements(a, b);
        break;
    }
  }
  return measures;
}

MilliPoints RuleBook::StricterWindow(const Waiter& a, const Waiter& b, Micros now) const {
  const Micros wait = WaitOf(a, b, now);
  return std::min(WindowOf(a, wait), WindowOf(b, wait));
}

int64_t RuleBook::CostsOf(const Measures& measures, MilliPoints stricter_window,
                          absl::InlinedVector<TermCost, 2>* costs) const {
  int64_t all = 0;
  for (const QualityTerm term : weighted_) {
    const int64_t measure = measures[static_cast<size_t>(term)];
    const int64_t cost = CostOf(term, measure, stricter_window);
    if (costs != nullptr) costs->push_back({term, measure, cost});
    all += cost;
  }
  return all;
}

}  // namespace evenmatch
