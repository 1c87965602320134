// What the team matcher reaches, held against what its pool had to offer: prints tables that are the same on every
// machine.
//
// World: Poisson arrivals of parties of one to five (of the players 40 % alone, 25 % in pairs, 15 % in threes, 8 % in
// fours, 12 % in fives), values N(1500, 300), five against five, window 100 + 50 a second up to 800; two minutes pass
// before anything is counted. "ten" is the most compact run of neighbours around the oldest ticket of a match that has
// ten players, whatever their parties, in the pool of that tick; "even" the share of matches between 45 % and 55 %;
// "worse" matches whose teams another split of the same parties would have made more even; "unlike" those whose largest
// parties differ between the teams; "levelled" those whose teams differ by at most one player who was filled in.

#include <cstdio>
#include <string>

#include "tests/support/team_world.h"

namespace evenmatch {
namespace {

void Head() {
  std::printf("%-46s %7s %7s %6s %6s %6s %7s %5s %5s %5s %7s %7s %9s\n", "world", "matches", "quality", "spread", "ten",
              "ratio", "even %", "p50 s", "p95 s", "worse", "unlike%", "fills %", "levelled%");
}

void Row(const std::string& name, TeamWorld world, double matches) {
  world.warm_up = 2 * kMinute;
  world.duration = static_cast<Micros>(matches * 10 / world.players_per_second) * kSecond;
  const TeamOutcome outcome = PlayTeams(world);
  const double count = static_cast<double>(outcome.matches);
  std::printf("%-46s %7.0f %7.0f %6.1f %6.1f %6.3f %7.2f %5.1f %5.1f %5llu %7.1f %7.2f %9.2f\n", name.c_str(), count,
              outcome.mean_quality(), outcome.mean_spread(), outcome.mean_neighbours(),
              outcome.mean_spread() / outcome.mean_neighbours(), outcome.percent_even(),
              static_cast<double>(outcome.wait.Percentile(50)) / kSecond, outcome.p95_wait(),
              static_cast<unsigned long long>(outcome.split_misses),
              100 * static_cast<double>(outcome.unequal_parties) / count,
              100 * static_cast<double>(outcome.fills) / static_cast<double>(outcome.players),
              100 * static_cast<double>(outcome.fills_levelled) / count);
}

void Main() {
  Head();
  for (const Micros tick : {500 * kMillisecond, 100 * kMillisecond}) {
    for (const double rate : {50.0, 500.0}) {
      for (const Micros target : {0 * kSecond, 6 * kSecond, 8 * kSecond}) {
        TeamWorld world;
        world.rules.tick = tick;
        world.rules.target_wait_p95 = target;
        world.players_per_second = rate;
        world.check_splits = true;
        Row(std::to_string(static_cast<int>(rate)) + "/s, tick " + std::to_string(tick / kMillisecond) +
                " ms, target " + (target == 0 ? "none" : std::to_string(target / kSecond) + " s"),
            world, 10'000);
      }
    }
  }
  for (const Micros target : {0 * kSecond, 8 * kSecond}) {
    const std::string with = target == 0 ? "50/s, no target, " : "50/s, target 8 s, ";
    TeamWorld world;
    world.rules.target_wait_p95 = target;
    TeamWorld roles = world;
    roles.rules.roles.roles = {{"tank", 1}, {"heal", 1}, {"damage", 3}};
    roles.rules.roles.fill_after = 4 * kSecond;
    roles.wanted = {14, 14, 72};
    Row(with + "roles, fill after 4 s", roles, 5'000);
    TeamWorld mirror = world;
    mirror.rules.party.mirror = {{0, 0}, {4 * kSecond, 1}, {7 * kSecond, 5}};
    Row(with + "mirror 0, 1 at 4 s, any at 7 s", mirror, 5'000);
  }
}

}  // namespace
}  // namespace evenmatch

int main() { evenmatch::Main(); }
