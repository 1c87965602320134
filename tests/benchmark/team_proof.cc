// What the team matcher reaches, against what it could: prints one table. The same on every machine.
//
// World: Poisson arrivals of parties of one to five (of the players 40 % alone, 25 % in pairs, 15 % in threes, 8 % in
// fours, 12 % in fives), values N(1500, 300), five against five, window 100 + 50 a second up to 800.

#include <cstdio>

#include "tests/support/team_world.h"

namespace evenmatch {
namespace {

void Row(const char* name, const TeamWorld& world) {
  const TeamOutcome outcome = PlayTeams(world);
  std::printf("%-44s %7llu %7.0f %6.1f %6.1f %6.3f %7.2f %6.1f %6.1f %5llu %7.1f\n", name,
              static_cast<unsigned long long>(outcome.matches), outcome.mean_quality(), outcome.mean_spread(),
              outcome.mean_neighbours(), outcome.mean_spread() / outcome.mean_neighbours(), outcome.percent_even(),
              outcome.p95_wait(), static_cast<double>(outcome.wait.Percentile(50)) / kSecond,
              static_cast<unsigned long long>(outcome.left),
              outcome.matches == 0 ? 0 : 100.0 * outcome.unequal_parties / outcome.matches);
}

void Main() {
  std::printf("%-44s %7s %7s %6s %6s %6s %7s %6s %6s %5s %7s\n", "world", "matches", "quality", "spread", "ten",
              "ratio", "even %", "p95 s", "p50 s", "left", "unlike%");
  for (const Micros tick : {500 * kMillisecond, 100 * kMillisecond}) {
    for (const double rate : {50.0, 500.0}) {
      for (const Micros target : {0 * kSecond, 6 * kSecond, 8 * kSecond}) {
        TeamWorld world;
        world.rules.tick = tick;
        world.rules.target_wait_p95 = target;
        world.players_per_second = rate;
        world.duration = static_cast<Micros>(30'000 / rate + 240) * kSecond;
        world.warm_up = 120 * kSecond;
        char name[64];
        std::snprintf(name, sizeof(name), "%.0f/s, tick %lld ms, target %lld s", rate,
                      static_cast<long long>(tick / kMillisecond), static_cast<long long>(target / kSecond));
        Row(name, world);
      }
    }
  }
}

}  // namespace
}  // namespace evenmatch

int main() { evenmatch::Main(); }
