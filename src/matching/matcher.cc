#include "matching/matcher.h"

#include "matching/duel_matcher.h"
#include "matching/team_matcher.h"

namespace evenmatch {

Matcher::Matcher(const RuleBook& book) {
  if (book.rules().duel()) {
    duel_ = std::make_unique<DuelMatcher>(book);
  } else {
    team_ = std::make_unique<TeamMatcher>(book);
  }
}

Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

void Matcher::Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals,
                   size_t* due_count) {
  if (duel_ != nullptr) {
    duel_->Tick(pool, traits, now, proposals, due_count);
  } else {
    team_->Tick(pool, traits, now, proposals, due_count);
  }
}

}  // namespace evenmatch
