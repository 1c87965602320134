// Vectors: published values of rating systems, each with the same input recomputed to fifty digits, from
// vectors/*.json. `expected` is as published and has the tolerance of its source; `expected_exact` is what we must
// meet.
#pragma once

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <string>
#include <vector>

#include "rating/rating_system.h"

namespace evenmatch {

// Calls act(vector) for each of the file, named in failures. At least `least` of them, so that an empty file fails.
template <typename Act>
void ForEachVector(const std::string& file, int least, Act act) {
  const YAML::Node root = YAML::LoadFile(std::string(EVENMATCH_RATING_VECTORS) + "/" + file);
  int count = 0;
  for (const YAML::Node& vector : root["vectors"]) {
    SCOPED_TRACE(vector["id"].as<std::string>() + " " + vector["category"].as<std::string>());
    count += act(vector) ? 1 : 0;
  }
  EXPECT_GE(count, least) << file;
}

// A millionth of the value's size, and of 1 for small ones.
inline void ExpectNear(double is, const YAML::Node& must) {
  const double expected = must.as<double>();
  EXPECT_NEAR(is, expected, 1e-6 * std::max(1.0, std::abs(expected)));
}

// The teams of a vector, kept alive with what they point to.
struct VectorTeams {
  std::vector<std::vector<RatedPlayer>> players;
  std::vector<RatedTeam> teams;

  explicit VectorTeams(const YAML::Node& vector) {
    const YAML::Node weights = vector["weights"];
    for (size_t i = 0; i < vector["teams"].size(); ++i) {
      auto& team = players.emplace_back();
      for (size_t k = 0; k < vector["teams"][i].size(); ++k) {
        const YAML::Node& player = vector["teams"][i][k];
        team.push_back({.rating = {.mean = player["mu"].as<double>(), .deviation = player["sigma"].as<double>()},
                        .weight = weights && !weights.IsNull() ? weights[i][k].as<double>() : 1});
      }
    }
    for (size_t i = 0; i < players.size(); ++i) {
      teams.push_back({players[i], vector["ranks"] ? vector["ranks"][i].as<int>() : 0});
    }
  }
};

inline void ExpectTeams(const RatingUpdate& update, const YAML::Node& expected) {
  size_t at = 0;
  for (const YAML::Node& team : expected) {
    for (const YAML::Node& player : team) {
      ASSERT_LT(at, update.ratings.size());
      ExpectNear(update.ratings[at].mean, player["mu"]);
      ExpectNear(update.ratings[at].deviation, player["sigma"]);
      ++at;
    }
  }
  EXPECT_EQ(at, update.ratings.size());
}

}  // namespace evenmatch
