// Rating systems on 6'227 real one-on-one games, in order, each judged before it changes anything. The data is not part
// of the product: EVENMATCH_DATA names the folder with halo2_headtohead.csv (the Halo 2 beta set of the TrueSkill
// papers, from the companion code of "Model-Based Machine Learning", MIT License).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "rating/systems.h"

namespace evenmatch {
namespace {

struct Game {
  std::string one, other;
  int result;  // 1 the one won, -1 the other, 0 a draw
  Micros ended_at;
};

struct Score {
  double accuracy = 0;  // equal chances count half
  double log_loss = 0;
  int judged = 0;   // decided games
  double mean = 0;  // of all ratings in the end
};

class RealGamesTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("EVENMATCH_DATA");
    if (folder == nullptr) GTEST_SKIP() << "EVENMATCH_DATA is not set: no real games to judge by";
    std::ifstream file(std::string(folder) + "/halo2_headtohead.csv");
    ASSERT_TRUE(file) << folder;
    std::string line;
    std::getline(file, line);
    ASSERT_EQ(line.substr(0, 5), "game,");
    while (std::getline(file, line)) {
      std::vector<std::string> fields;
      std::istringstream row(line);
      for (std::string field; std::getline(row, field, ',');) fields.push_back(field);
      ASSERT_EQ(fields.size(), 9u) << line;
      // All within one month: 2004-08-06T18:13:50.
      int day = 0, hour = 0, minute = 0, second = 0;
      ASSERT_EQ(std::sscanf(fields[1].c_str(), "2004-08-%dT%d:%d:%d", &day, &hour, &minute, &second), 4) << line;
      games_.push_back({fields[4], fields[6],
                        fields[8][0] == 'A'   ? 1
                        : fields[8][0] == 'B' ? -1
                                              : 0,
                        ((day * 24 + hour) * 60 + minute) * kMinute + second * kSecond});
    }
    ASSERT_EQ(games_.size(), 6227u);
  }

  Score Judge(const RatingParameters& parameters) {
    const auto system = *MakeRatingSystem(parameters);
    std::map<std::string, Rating> ratings;
    Score score;
    RatingUpdate update;
    for (const Game& game : games_) {
      Rating& one = ratings.try_emplace(game.one, system->Start()).first->second;
      Rating& other = ratings.try_emplace(game.other, system->Start()).first->second;
      const RatedPlayer now[] = {{system->At(one, game.ended_at)}, {system->At(other, game.ended_at)}};
      const RatedPlayer stored[] = {{one}, {other}};
      const auto teams = [&](const RatedPlayer* players) {
        return std::vector<RatedTeam>{{{players, 1}, game.result == -1 ? 1 : 0},
                                      {{players + 1, 1}, game.result == 1 ? 1 : 0}};
      };
      if (game.result != 0) {
        const auto chances = *system->WinProbability(teams(now));
        const double expected = chances.first[0] + chances.draw / 2;
        const double right = game.result == 1 ? expected : 1 - expected;
        score.log_loss -= std::log(right);
        score.accuracy += right > 0.5 ? 1 : right == 0.5 ? 0.5 : 0;
        ++score.judged;
      }
      EXPECT_TRUE(system->Update(teams(stored), game.ended_at, &update).ok());
      one = update.ratings[0];
      other = update.ratings[1];
    }
    score.log_loss /= score.judged;
    score.accuracy /= score.judged;
    for (const auto& [player, rating] : ratings) score.mean += rating.mean / static_cast<double>(ratings.size());
    return score;
  }

  // Judges, tells, and holds to a bound.
  Score Report(const char* name, const RatingParameters& parameters) {
    const Score score = Judge(parameters);
    std::printf("  %-28s accuracy %.1f %%, log loss %.4f on %d decided games\n", name, 100 * score.accuracy,
                score.log_loss, score.judged);
    EXPECT_EQ(score.judged, 5716);
    return score;
  }

  std::vector<Game> games_;
};

TEST_F(RealGamesTest, EloPredictsAsTheReferenceDoes) {
  const struct {
    double k, accuracy, log_loss;
  } kReference[] = {{16, 0.679, 0.647}, {32, 0.684, 0.623}, {64, 0.686, 0.599}};
  for (const auto& reference : kReference) {
    const Score score = Report(("Elo, K " + std::to_string(static_cast<int>(reference.k))).c_str(),
                               EloParameters{.newcomer_games = 0, .settled = {{.k = reference.k}}});
    EXPECT_NEAR(score.accuracy, reference.accuracy, 0.0006);
    EXPECT_NEAR(score.log_loss, reference.log_loss, 0.0006);
    EXPECT_NEAR(score.mean, 1500, 1e-9);  // points are only exchanged
  }
  Report("Elo, as by default", EloParameters());
}

TEST_F(RealGamesTest, WhoKnowsItsUncertaintyPredictsBetter) {
  EXPECT_LE(Report("Glicko, as by default", GlickoParameters()).log_loss, 0.585);
  EXPECT_LE(Report("Glicko-2, as by default", Glicko2Parameters()).log_loss, 0.585);
  EXPECT_LE(Report("TrueSkill, as by default", TrueSkillParameters()).log_loss, 0.590);
  EXPECT_LE(Report("TrueSkill, beta 6", TrueSkillParameters{.beta = 6}).log_loss, 0.585);
  EXPECT_LE(Report("Weng-Lin, as by default", WengLinParameters()).log_loss, 0.600);
  EXPECT_LE(Report("Weng-Lin, beta 123 / 60", WengLinParameters{.beta = 123.0 / 60}).log_loss, 0.590);
}

}  // namespace
}  // namespace evenmatch
