// pool_benchmark: the rating index against absl::btree_set, and what a ticket costs the whole pool.
//
// World:   values N(1500, 300) in milli-points, one affinity, rising arrival numbers, one head a ticket. The index
//          stands at n keys; a round inserts fresh ones, erases as many at random, walks around random ones. Which, is
//          drawn before the clock starts. The opponent is a set of 16 bytes a key, (value, arrival) and the slot beside
//          it; the index keeps affinity and heads as well.
// Judged:  processor time of ours / that of the opponent, the two taking turns in one process; median of five rounds.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "base/random.h"
#include "pool/pool.h"
#include "pool/rating_index.h"

namespace evenmatch {
namespace {

constexpr int kRounds = 5;
constexpr int kSteps = 16;  // of a walk, each way

MilliPoints NormalValue(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.Unit()));
  return static_cast<MilliPoints>(1'500'000 + 300'000 * radius * std::cos(2 * M_PI * random.Unit()));
}

struct Key {
  MilliPoints value;
  uint32_t slot;
  uint64_t arrival;
};
struct KeyOrder {
  bool operator()(const Key& a, const Key& b) const {
    return a.value != b.value ? a.value < b.value : a.arrival < b.arrival;
  }
};

class Ours {
 public:
  void Insert(const Key& key) { index_.Insert({0, key.value, key.arrival, key.slot, 1}); }
  void Erase(const Key& key) { index_.Erase(0, key.value, key.arrival); }
  uint64_t Walk(const Key& key) const {
    uint64_t sum = 0;
    const RatingIndex::Cursor start = index_.Find(0, key.value, key.arrival);
    RatingIndex::Cursor cursor = start;
    for (int i = 0; i < kSteps; ++i) {
      cursor.Next();
      if (!cursor.valid()) break;
      sum += static_cast<uint32_t>(cursor.value()) ^ cursor.slot();
    }
    cursor = start;
    for (int i = 0; i < kSteps; ++i) {
      cursor.Prev();
      if (!cursor.valid()) break;
      sum += static_cast<uint32_t>(cursor.value()) ^ cursor.slot();
    }
    return sum;
  }

 private:
  RatingIndex index_;
};

class Theirs {
 public:
  void Insert(const Key& key) { set_.insert(key); }
  void Erase(const Key& key) { set_.erase(key); }
  uint64_t Walk(const Key& key) const {
    uint64_t sum = 0;
    const auto start = set_.lower_bound(key);
    auto place = start;
    for (int i = 0; i < kSteps; ++i) {
      ++place;
      if (place == set_.end()) break;
      sum += static_cast<uint32_t>(place->value) ^ place->slot;
    }
    place = start;
    for (int i = 0; i < kSteps; ++i) {
      if (place == set_.begin()) break;
      --place;
      sum += static_cast<uint32_t>(place->value) ^ place->slot;
    }
    return sum;
  }

 private:
  absl::btree_set<Key, KeyOrder> set_;
};

// Processor time, so that a busy neighbour costs caches but not turns.
double ThreadNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <typename Work>
double Nanoseconds(size_t count, const Work& work) {
  const double start = ThreadNanoseconds();
  work();
  return (ThreadNanoseconds() - start) / static_cast<double>(count);
}

double Median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + numbers.size() / 2, numbers.end());
  return numbers[numbers.size() / 2];
}

// What both sides do in a round, drawn beforehand.
struct Script {
  std::vector<Key> build, insert, erase, walk;
  std::vector<std::pair<Key, Key>> replace;  // erase the first, insert the second
};

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  Key Fresh() {
    const Key key{NormalValue(random_), static_cast<uint32_t>(arrivals_), arrivals_};
    ++arrivals_;
    return key;
  }
  Key TakeOne() {
    std::swap(live_[random_.Below(live_.size())], live_.back());
    const Key key = live_.back();
    live_.pop_back();
    return key;
  }
  Script Write(size_t standing, size_t count) {
    Script script;
    while (live_.size() < standing) {
      script.build.push_back(Fresh());
      live_.push_back(script.build.back());
    }
    for (size_t i = 0; i < count; ++i) {
      script.insert.push_back(Fresh());
      live_.push_back(script.insert.back());
    }
    for (size_t i = 0; i < count; ++i) script.walk.push_back(live_[random_.Below(live_.size())]);
    for (size_t i = 0; i < count; ++i) script.erase.push_back(TakeOne());
    for (size_t i = 0; i < count; ++i) {
      const Key gone = TakeOne();
      const Key fresh = Fresh();
      live_.push_back(fresh);
      script.replace.emplace_back(gone, fresh);
    }
    return script;
  }

 private:
  Random random_;
  uint64_t arrivals_ = 0;
  std::vector<Key> live_;
};

enum Act { kBuild, kInsert, kErase, kReplace, kWalk, kActs };
constexpr const char* kActNames[] = {"build up", "insert", "erase", "erase + insert", "walk 16 each way"};

template <typename Side>
void Play(const Script& script, Side& side, double (&times)[kActs]) {
  if (!script.build.empty()) {
    times[kBuild] = Nanoseconds(script.build.size(), [&] {
      for (const Key& key : script.build) side.Insert(key);
    });
  }
  times[kInsert] = Nanoseconds(script.insert.size(), [&] {
    for (const Key& key : script.insert) side.Insert(key);
  });
  times[kWalk] = Nanoseconds(script.walk.size(), [&] {
    uint64_t sum = 0;
    for (const Key& key : script.walk) sum += side.Walk(key);
    benchmark::DoNotOptimize(sum);
  });
  times[kErase] = Nanoseconds(script.erase.size(), [&] {
    for (const Key& key : script.erase) side.Erase(key);
  });
  times[kReplace] = Nanoseconds(script.replace.size(), [&] {
    for (const auto& [gone, fresh] : script.replace) {
      side.Erase(gone);
      side.Insert(fresh);
    }
  });
}

// A new pair of indexes each round; a round repeats its acts, except building, until there is enough to measure.
bool CompareIndexes(size_t standing) {
  std::vector<double> ours[kActs], theirs[kActs], ratios[kActs];
  const size_t count = std::max<size_t>(1'000, standing / 20);
  const int repeats = static_cast<int>(std::max<size_t>(1, 50'000 / count));
  for (int round = 0; round < kRounds; ++round) {
    Writer writer(static_cast<uint64_t>(round) + 1);
    Ours our_side;
    Theirs their_side;
    double sums[2][kActs] = {};
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const Script script = writer.Write(standing, count);
      double times[2][kActs] = {};
      if ((round + repeat) % 2 == 0) {
        Play(script, our_side, times[0]);
        Play(script, their_side, times[1]);
      } else {
        Play(script, their_side, times[1]);
        Play(script, our_side, times[0]);
      }
      for (int side = 0; side < 2; ++side) {
        for (int act = 0; act < kActs; ++act) sums[side][act] += times[side][act] / (act == kBuild ? 1 : repeats);
      }
    }
    for (int act = 0; act < kActs; ++act) {
      ours[act].push_back(sums[0][act]);
      theirs[act].push_back(sums[1][act]);
      ratios[act].push_back(sums[0][act] / sums[1][act]);
    }
  }
  bool good = true;
  for (int act = 0; act < kActs; ++act) {
    const double ratio = Median(ratios[act]);
    good = good && ratio <= 1.1;
    std::printf("%9zu  %-16s %9.0f ns %9.0f ns   %5.2f\n", standing, kActNames[act], Median(ours[act]),
                Median(theirs[act]), ratio);
  }
  return good;
}

// One ticket in and out of a pool of `standing` tickets, the way a tick sees it: a batch comes, is found due, leaves.
// Strangers have an affinity each; equals all have one value.
enum class Standing { kAlike, kEqual, kStrangers };

void MeasurePool(size_t standing, Standing kind) {
  constexpr size_t kBatch = 1'000;
  Random random(1);
  Pool pool;
  const auto value = [&] { return kind == Standing::kEqual ? 1'500 * kPoint : NormalValue(random); };
  uint64_t arrivals = 0;
  std::vector<Pool::Slot> slots;
  for (size_t i = 0; i < standing; ++i) {
    const uint32_t affinity = kind == Standing::kStrangers ? static_cast<uint32_t>(i) + 1 : 0;
    const Pool::Slot slot = pool.Insert(
        {.value = value(), .affinity = affinity, .queued_at = static_cast<Micros>(arrivals), .arrival = arrivals});
    ++arrivals;
    pool.SetDue(slot, kMinute + static_cast<Micros>(random.Below(kMinute)));
  }
  const double bytes = static_cast<double>(pool.bytes()) / static_cast<double>(standing);
  std::vector<double> in, due, at, out;
  for (int round = 0; round < 51; ++round) {
    std::vector<PoolEntry> fresh;
    for (size_t i = 0; i < kBatch; ++i, ++arrivals) {
      fresh.push_back({.value = value(), .queued_at = kSecond + round, .arrival = arrivals});
    }
    slots.clear();
    in.push_back(Nanoseconds(kBatch, [&] {
      for (const PoolEntry& entry : fresh) slots.push_back(pool.Insert(entry));
    }));
    std::vector<Pool::Slot> found;
    found.reserve(kBatch);
    due.push_back(Nanoseconds(kBatch, [&] { pool.TakeDue(kSecond + round, &found); }));
    at.push_back(Nanoseconds(kBatch, [&] {
      uint64_t sum = 0;
      for (Pool::Slot slot : slots) sum += pool.At(slot).slot();
      benchmark::DoNotOptimize(sum);
    }));
    std::sort(slots.begin(), slots.end(),
              [&](Pool::Slot a, Pool::Slot b) { return pool.Get(a).value < pool.Get(b).value; });
    out.push_back(Nanoseconds(kBatch, [&] {
      for (Pool::Slot slot : slots) pool.Remove(slot);
    }));
  }
  constexpr const char* kNames[] = {"alike", "equal", "strangers"};
  std::printf("%9zu  %-9s %6.0f ns %6.0f ns %6.0f ns %6.0f ns    %6.1f\n", standing, kNames[static_cast<int>(kind)],
              Median(in), Median(due), Median(at), Median(out), bytes);
}

int Main() {
  std::printf("Rating index against absl::btree_set, values N(1500, 300), median of %d rounds\n", kRounds);
  std::printf("%9s  %-16s %12s %12s   %5s\n", "keys", "", "ours", "btree_set", "ratio");
  bool good = true;
  for (const size_t standing : {10'000, 100'000, 1'000'000}) good = CompareIndexes(standing) && good;
  std::printf("every ratio within 1.1: %s\n\n", good ? "yes" : "NO");

  std::printf(
      "Pool, one ticket of a batch of 1000; beside those standing: values N(1500, 300), one value,\n"
      "or an affinity of its own each\n");
  std::printf("%9s  %-9s %9s %9s %9s %9s  %s\n", "standing", "", "Insert", "TakeDue", "At", "Remove", "bytes/ticket");
  for (const size_t standing : {10'000, 100'000, 1'000'000}) {
    for (const Standing kind : {Standing::kAlike, Standing::kEqual, Standing::kStrangers}) MeasurePool(standing, kind);
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace evenmatch

int main() { return evenmatch::Main(); }
