// Latency: from when a ticket should be sent until its match is told.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/random.h"
#include "tests/benchmark/rpc_client.h"
#include "tests/benchmark/rpc_subjects.h"

namespace evenmatch {

void BenchmarkLatency(const ServerProcess& server, double seconds, uint64_t* next) {
  constexpr int kRate = 5000;
  constexpr int kBatch = 10;
  SessionClient session(server, "latency");
  const uint64_t first = *next;
  const size_t count = static_cast<size_t>(kRate * seconds) / kBatch * kBatch;
  const SteadyTime start = std::chrono::steady_clock::now();
  const auto due = [&](size_t i) {
    return start + std::chrono::microseconds(static_cast<int64_t>(i / kBatch * kBatch * 1'000'000 / kRate));
  };
  std::vector<double> waits;
  std::thread reader([&] {
    v1::SessionResponse response;
    while (waits.size() < count && session.Read(&response)) {
      for (const v1::TicketEvent& event : response.events()) {
        if (event.kind() == v1::TICKET_EVENT_KIND_MATCHED) {
          waits.push_back(1e3 * SecondsSince(due(NumberOf(event.ticket_id()) - first)));
        }
      }
      // The last ones may wait for a partner who does not come.
      if (SecondsSince(start) > seconds + 1) break;
    }
  });
  Random random(1);
  for (size_t i = 0; i < count; i += kBatch) {
    std::this_thread::sleep_until(due(i));
    v1::SessionRequest request;
    for (int k = 0; k < kBatch; ++k) {
      FillTicket("duel", (*next)++, static_cast<double>(random.Between(1'000'000, 2'000'000)) / 1000,
                 request.add_commands()->mutable_enqueue()->mutable_ticket());
    }
    session.Send(request);
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  session.Close();
  reader.join();
  std::sort(waits.begin(), waits.end());
  const auto at = [&](double share) {
    return waits[static_cast<size_t>(share * static_cast<double>(waits.size() - 1))];
  };
  std::printf(
      "latency: %zu of %zu matched; enqueue to match told p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms (bar p99 115 "
      "ms: one tick + 15 ms)\n",
      waits.size(), count, at(0.5), at(0.99), at(0.999));
}

}  // namespace evenmatch
