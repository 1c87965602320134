#include "matching/matcher.h"

#include "matching/duel_matcher.h"
#include "matching/ruled_duels.h"
#include "matching/team_matcher.h"

namespace evenmatch {

Matcher::Matcher(const RuleBook& book) : book_(&book) {
  if (book.rules().duel()) {
    duel_ = std::make_unique<DuelMatcher>(book);
    ruled_ = std::make_unique<RuledDuels>(book);
  } else {
    team_ = std::make_unique<TeamMatcher>(book);
  }
}

Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

void Matcher::Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals,
                   size_t* due_count) {
  if (ruled_ != nullptr && RuledDuels::Needed(*book_)) {
    ruled_->Tick(pool, traits, now, proposals, due_count);
  } else if (duel_ != nullptr) {
    duel_->Tick(pool, traits, now, proposals, due_count);
  } else {
    team_->Tick(pool, traits, now, proposals, due_count);
  }
}

}  // namespace evenmatch
