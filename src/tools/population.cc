#include "tools/population.h"

#include "base/random.h"

namespace evenmatch {

Population Population::Draw(size_t tickets, const RatingDistribution& ratings, const PartyDistribution& parties,
                            uint64_t seed) {
  Random random(seed);
  Population population;
  population.first_.reserve(tickets + 1);
  population.ratings_.reserve(tickets);
  for (size_t i = 0; i < tickets; ++i) {
    const int size = parties.Draw(random);
    for (int k = 0; k < size; ++k) population.ratings_.push_back(ratings.Draw(random));
    population.first_.push_back(static_cast<uint32_t>(population.ratings_.size()));
  }
  return population;
}

Population Population::OfGames(std::span<const Game> games) {
  Population population;
  for (const Game& game : games) {
    for (const MilliPoints rating : game.ratings) {
      population.ratings_.push_back(rating);
      population.first_.push_back(static_cast<uint32_t>(population.ratings_.size()));
    }
  }
  return population;
}

MilliPoints Population::Value(size_t ticket) const {
  int64_t sum = 0;
  const std::span<const MilliPoints> members = Members(ticket);
  for (const MilliPoints rating : members) sum += rating;
  return static_cast<MilliPoints>(sum / static_cast<int64_t>(members.size()));
}

}  // namespace evenmatch
