// What holds for every rating system in every world: any number of teams of any size, any ranks, weights and ratings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "rating/systems.h"
#include "tests/support/rated_game.h"

namespace evenmatch {
namespace {

constexpr int kWorlds = 400;

struct NamedSystem {
  std::string name;
  std::shared_ptr<const RatingSystem> system;
  double unit;  // of points
};

std::vector<NamedSystem> Systems() {
  const auto make = [](const char* name, const RatingParameters& parameters, double unit) {
    return NamedSystem{name, std::shared_ptr<const RatingSystem>(*MakeRatingSystem(parameters)), unit};
  };
  return {
      make("none", NoRatingParameters(), 1),
      make("elo", EloParameters(), 1),
      make("glicko", GlickoParameters(), 1),
      make("glicko2", Glicko2Parameters(), 1),
      make("true_skill", TrueSkillParameters(), 60),
      make("true_skill in points",
           TrueSkillParameters{
               .start = 1500, .start_deviation = 500, .beta = 240, .tau = 10, .draw_probability = 1e-6, .points = 1},
           1),
      make("plackett_luce", WengLinParameters{.model = WengLinModel::kPlackettLuce}, 60),
      make("bradley_terry", WengLinParameters{.model = WengLinModel::kBradleyTerry}, 60)};
}

// From a friendly league to every extreme at once.
struct World {
  Random random;
  double spread;
  double unit;
  bool weights;

  World(uint64_t seed, double unit) : random(seed), unit(unit) {
    constexpr double kSpreads[] = {0, 50, 300, 300, 1000, 20'000, 1e6};
    spread = kSpreads[random.Below(std::size(kSpreads))];
    weights = random.Percent(40);
  }

  Rating Player() {
    constexpr double kDeviations[] = {1, 30, 60, 100, 350, 500};
    return {.mean = (1500 + spread * (2 * random.Unit() - 1)) / unit,
            .deviation = kDeviations[random.Below(std::size(kDeviations))] / unit,
            .volatility = 0.03 + 0.06 * random.Unit(),
            .games = static_cast<uint32_t>(random.Below(60)),
            .as_of = random.Percent(20) ? kNever : random.Between(0, 200) * 24 * kHour};
  }

  RatedGame Game(size_t most_teams, size_t most_players) {
    RatedGame game;
    const size_t teams = 2 + random.Below(most_teams - 1);
    for (size_t i = 0; i < teams; ++i) {
      auto& team = game.players.emplace_back();
      const size_t players = 1 + random.Below(most_players);
      for (size_t k = 0; k < players; ++k) team.push_back({Player(), 1});
      for (RatedPlayer& player : team) {
        if (weights && random.Percent(30)) player.weight = random.Percent(30) ? 0 : random.Unit();
      }
      team[0].weight = 1;
      game.ranks.push_back(static_cast<int32_t>(random.Below(teams)));
    }
    return game;
  }
};

constexpr Micros kEnd = 200 * 24 * kHour;

// The loudest number of a game: rounding is judged against it.
double Size(const RatedGame& game, double unit) {
  double size = 1500 / unit;
  for (const auto& team : game.players) {
    for (const auto& [rating, weight] : team) size = std::max({size, std::abs(rating.mean), rating.deviation});
  }
  return size;
}

template <typename Act>
void ForEachWorld(Act act) {
  for (const NamedSystem& named : Systems()) {
    for (int seed = 0; seed < kWorlds; ++seed) {
      SCOPED_TRACE(named.name + ", seed " + std::to_string(seed));
      World world(seed, named.unit);
      act(named, world);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(RatingPropertyTest, FiniteInFiniteOut) {
  ForEachWorld([](const NamedSystem& named, World& world) {
    const RatedGame game = world.Game(8, 5);
    for (const auto& team : game.After(*named.system, kEnd)) {
      for (const Rating& rating : team) ASSERT_TRUE(IsFinite(rating)) << rating.mean << " +- " << rating.deviation;
    }
    const auto chances = named.system->WinProbability(game.Teams());
    ASSERT_TRUE(chances.ok());
    double sum = chances->draw;
    for (const double chance : chances->first) {
      ASSERT_TRUE(chance >= 0 && chance <= 1) << chance;
      sum += chance;
    }
    ASSERT_NEAR(sum, 1, 1e-9);
    const auto quality = named.system->Quality(game.Teams());
    ASSERT_TRUE(*quality >= 0 && *quality <= 1) << *quality;
  });
}

TEST(RatingPropertyTest, OrderOfPlayersMeansNothing) {
  ForEachWorld([](const NamedSystem& named, World& world) {
    const RatedGame game = world.Game(5, 5);
    RatedGame reversed = game;
    for (auto& team : reversed.players) std::reverse(team.begin(), team.end());
    auto after = reversed.After(*named.system, kEnd);
    for (auto& team : after) std::reverse(team.begin(), team.end());
    const auto straight = game.After(*named.system, kEnd);
    const double near = 1e-9 * Size(game, named.unit);
    for (size_t i = 0; i < after.size(); ++i) {
      for (size_t k = 0; k < after[i].size(); ++k) {
        ASSERT_NEAR(after[i][k].mean, straight[i][k].mean, near);
        ASSERT_NEAR(after[i][k].deviation, straight[i][k].deviation, near);
      }
    }
    ASSERT_NEAR(*named.system->Quality(game.Teams()), *named.system->Quality(reversed.Teams()), 1e-9);
  });
}

TEST(RatingPropertyTest, OrderOfTeamsMeansNothing) {
  ForEachWorld([](const NamedSystem& named, World& world) {
    const RatedGame game = world.Game(6, 3);
    std::vector<size_t> order(game.players.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[world.random.Below(i)]);
    RatedGame shuffled;
    for (const size_t team : order) {
      shuffled.players.push_back(game.players[team]);
      shuffled.ranks.push_back(game.ranks[team]);
    }
    const auto straight = game.After(*named.system, kEnd);
    const auto after = shuffled.After(*named.system, kEnd);
    const double near = 1e-8 * Size(game, named.unit);
    for (size_t i = 0; i < order.size(); ++i) {
      for (size_t k = 0; k < after[i].size(); ++k) {
        ASSERT_NEAR(after[i][k].mean, straight[order[i]][k].mean, near);
        ASSERT_NEAR(after[i][k].deviation, straight[order[i]][k].deviation, near);
      }
    }
    ASSERT_NEAR(*named.system->Quality(game.Teams()), *named.system->Quality(shuffled.Teams()), 1e-9);
    const auto chances = named.system->WinProbability(game.Teams());
    const auto other = named.system->WinProbability(shuffled.Teams());
    for (size_t i = 0; i < order.size(); ++i) ASSERT_NEAR(other->first[i], chances->first[order[i]], 1e-9);
  });
}

TEST(RatingPropertyTest, TwoTeamsExchangedAreMirroredToTheBit) {
  ForEachWorld([](const NamedSystem& named, World& world) {
    const RatedGame game = world.Game(2, 4);
    RatedGame mirrored = game;
    std::swap(mirrored.players[0], mirrored.players[1]);
    std::swap(mirrored.ranks[0], mirrored.ranks[1]);
    const auto one = game.After(*named.system, kEnd), other = mirrored.After(*named.system, kEnd);
    if (named.name == "plackett_luce") {  // sums over teams in the order given
      for (size_t k = 0; k < one[0].size(); ++k) {
        ASSERT_NEAR(one[0][k].mean, other[1][k].mean, 1e-12 * Size(game, named.unit));
      }
      return;
    }
    ASSERT_EQ(one[0], other[1]);
    ASSERT_EQ(one[1], other[0]);
  });
}

TEST(RatingPropertyTest, OnlyTheOrderOfRanksCounts) {
  ForEachWorld([](const NamedSystem& named, World& world) {
    const RatedGame game = world.Game(6, 2);
    RatedGame stretched = game;
    for (int32_t& rank : stretched.ranks) rank = rank * rank * 1000 - 5;
    ASSERT_EQ(game.After(*named.system, kEnd), stretched.After(*named.system, kEnd));
  });
}

TEST(RatingPropertyTest, TheSameGameGivesTheSameBitsWhateverWasRatedBefore) {
  ForEachWorld([](const NamedSystem& named, World& world) {
    RatingUpdate reused;
    world.Game(6, 4).After(*named.system, kEnd, &reused);
    const RatedGame game = world.Game(6, 4);
    ASSERT_EQ(game.After(*named.system, kEnd, &reused), game.After(*named.system, kEnd));
  });
}

TEST(RatingPropertyTest, OfTwoTeamsTheWinnersDoNotFallAndTheLosersDoNotRise) {
  ForEachWorld([](const NamedSystem& named, World& world) {
    RatedGame game = world.Game(2, 4);
    game.ranks = {0, 1};
    const auto after = game.After(*named.system, kEnd);
    for (size_t k = 0; k < after[0].size(); ++k) ASSERT_GE(after[0][k].mean, game.players[0][k].rating.mean);
    for (size_t k = 0; k < after[1].size(); ++k) ASSERT_LE(after[1][k].mean, game.players[1][k].rating.mean);
  });
}

TEST(RatingPropertyTest, WhoDidNotPlayKeepsHisMeanAndHisTime) {
  ForEachWorld([](const NamedSystem& named, World& world) {
    RatedGame game = world.Game(4, 4);
    for (auto& team : game.players) team.push_back({world.Player(), 0});
    const auto after = game.After(*named.system, kEnd);
    for (size_t i = 0; i < after.size(); ++i) {
      ASSERT_EQ(after[i].back().mean, game.players[i].back().rating.mean);
      Rating rest = after[i].back();
      rest.deviation = game.players[i].back().rating.deviation;  // wanders in some systems
      ASSERT_EQ(rest, game.players[i].back().rating);
    }
  });
}

TEST(RatingPropertyTest, DeviationsNeverGrowBeyondWhatTimeAndWanderingAdd) {
  ForEachWorld([](const NamedSystem& named, World& world) {
    const RatedGame game = world.Game(6, 4);
    const auto after = game.After(*named.system, kEnd);
    const double tau = named.name == "true_skill in points" ? 10 : named.unit == 60 ? 25.0 / 300 : 0;
    for (size_t i = 0; i < after.size(); ++i) {
      for (size_t k = 0; k < after[i].size(); ++k) {
        const Rating& before = game.players[i][k].rating;
        // Glicko-2 may raise the volatility up to its bound before the deviation grows by it.
        const double grown =
            named.name == "glicko2"
                ? named.system->At({.deviation = before.deviation, .volatility = 0.1, .as_of = before.as_of}, kEnd)
                      .deviation
                : named.system->At(before, kEnd).deviation;
        const double floor = named.name.starts_with("glicko") ? 30 : 0;
        ASSERT_LE(after[i][k].deviation, std::max(floor, std::hypot(grown, tau)) * (1 + 1e-12));
      }
    }
  });
}

TEST(RatingPropertyTest, EloKeepsTheSumWhereKIsEqual) {
  const Elo elo({.newcomer_games = 0, .returner_k = 32});
  for (int seed = 0; seed < kWorlds; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed, 1);
    const RatedGame game = world.Game(8, 5);
    const auto after = game.After(elo, kEnd);
    double change = 0;
    for (size_t i = 0; i < after.size(); ++i) {
      for (size_t k = 0; k < after[i].size(); ++k) change += after[i][k].mean - game.players[i][k].rating.mean;
    }
    ASSERT_NEAR(change, 0, 1e-6);
  }
}

TEST(RatingPropertyTest, TrueSkillScalesWithItsUnit) {
  const TrueSkill small({}), large({.start = 1500, .start_deviation = 500, .beta = 250, .tau = 5, .points = 1});
  for (int seed = 0; seed < kWorlds; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed, 60);
    const RatedGame game = world.Game(6, 3);
    RatedGame scaled = game;
    for (auto& team : scaled.players) {
      for (auto& [rating, weight] : team) {
        rating.mean *= 60;
        rating.deviation *= 60;
      }
    }
    const auto one = game.After(small), other = scaled.After(large);
    const double near = 1e-8 * Size(scaled, 1);
    for (size_t i = 0; i < one.size(); ++i) {
      for (size_t k = 0; k < one[i].size(); ++k) {
        ASSERT_NEAR(one[i][k].mean * 60, other[i][k].mean, near);
        ASSERT_NEAR(one[i][k].deviation * 60, other[i][k].deviation, near);
      }
    }
    ASSERT_NEAR(*small.Quality(game.Teams()), *large.Quality(scaled.Teams()), 1e-9);
  }
}

// The messages of a field against the closed form of a duel: a third team that loses to both from far below says
// nothing about them.
TEST(RatingPropertyTest, TrueSkillOfAFieldIsTheDuelWhereTheRestIsOutOfSight) {
  const TrueSkill true_skill({});
  for (int seed = 0; seed < kWorlds; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed, 60);
    world.spread = std::min(world.spread, 1000.0);
    const RatedGame duel = world.Game(2, 4);
    RatedGame field = duel;
    field.players.push_back({{{.mean = -1e4, .deviation = 8}}});
    field.ranks.push_back(9);
    const auto one = duel.After(true_skill), other = field.After(true_skill);
    for (size_t i = 0; i < 2; ++i) {
      for (size_t k = 0; k < one[i].size(); ++k) {
        ASSERT_NEAR(one[i][k].mean, other[i][k].mean, 1e-9);
        ASSERT_NEAR(one[i][k].deviation, other[i][k].deviation, 1e-9);
      }
    }
  }
}

// Weng and Lin's gradient and curvature, by differences of the logarithm of the model's likelihood.
double LogLikelihood(const std::vector<double>& means, const std::vector<double>& variances,
                     const std::vector<int32_t>& ranks, double beta, WengLinModel model) {
  double sum = 0;
  const size_t n = means.size();
  if (model == WengLinModel::kBradleyTerry) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t q = 0; q < n; ++q) {
        if (i == q || ranks[i] > ranks[q]) continue;
        const double c = std::sqrt(variances[i] + variances[q] + 2 * beta * beta);
        sum -= (ranks[i] == ranks[q] ? 0.5 : 1) * std::log1p(std::exp((means[q] - means[i]) / c));
      }
    }
    return sum;
  }
  double c2 = 0;
  for (const double variance : variances) c2 += variance + beta * beta;
  for (size_t i = 0; i < n; ++i) {
    double total = 0, tied = 0;
    for (size_t q = 0; q < n; ++q) {
      if (ranks[q] >= ranks[i]) total += std::exp((means[q] - means[i]) / std::sqrt(c2));
      tied += ranks[q] == ranks[i] ? 1 : 0;
    }
    sum -= std::log(total) / tied;
  }
  return sum;
}

TEST(RatingPropertyTest, WengLinFollowsTheGradientOfItsLikelihood) {
  for (const WengLinModel model : {WengLinModel::kBradleyTerry, WengLinModel::kPlackettLuce}) {
    const WengLin weng_lin({.model = model, .tau = 0});
    for (int seed = 0; seed < kWorlds; ++seed) {
      SCOPED_TRACE(seed);
      World world(seed, 60);
      world.spread = std::min(world.spread, 300.0);
      const RatedGame game = world.Game(6, 1);
      const auto after = game.After(weng_lin);
      std::vector<double> means, variances;
      for (const auto& team : game.players) {
        means.push_back(team[0].rating.mean);
        variances.push_back(team[0].rating.deviation * team[0].rating.deviation);
      }
      for (size_t i = 0; i < means.size(); ++i) {
        constexpr double kStep = 1e-4;
        auto up = means, down = means;
        up[i] += kStep;
        down[i] -= kStep;
        const double slope = (LogLikelihood(up, variances, game.ranks, 25.0 / 6, model) -
                              LogLikelihood(down, variances, game.ranks, 25.0 / 6, model)) /
                             (2 * kStep);
        ASSERT_NEAR(after[i][0].mean - means[i], variances[i] * slope, 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace evenmatch
