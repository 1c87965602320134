// A Session: tickets in and their matches out.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "tests/benchmark/rpc_client.h"
#include "tests/benchmark/rpc_subjects.h"

namespace evenmatch {

void BenchmarkSession(const ServerProcess& server, double seconds, int rounds, uint64_t* next) {
  constexpr int kBatch = 256;
  constexpr int64_t kUnmatched = 100'000;  // closed loop: so many tickets on their way at most
  std::vector<double> rates;
  for (int round = 0; round < rounds; ++round) {
    SessionClient session(server, "session-" + std::to_string(round));
    const uint64_t first = *next;
    std::atomic<int64_t> sent = 0, answered = 0, matched = 0;
    std::atomic<bool> all_sent = false;
    std::vector<uint8_t> seen(20'000'000);
    std::thread reader([&] {
      v1::SessionResponse response;
      while (session.Read(&response)) {
        for (const v1::SessionResult& result : response.results()) CHECK(result.has_enqueue());
        answered += response.results_size();
        int64_t now_matched = 0;
        for (const v1::TicketEvent& event : response.events()) {
          if (event.kind() != v1::TICKET_EVENT_KIND_MATCHED) continue;
          ++now_matched;
          // Nobody is matched twice.
          CHECK_EQ(seen[NumberOf(event.ticket_id()) - first]++, 0);
        }
        matched += now_matched;
      }
    });
    Random random(static_cast<uint64_t>(round) + 1);
    v1::SessionRequest request;
    for (int i = 0; i < kBatch; ++i) request.add_commands();
    const auto send_for = [&](double time) {
      const SteadyTime start = std::chrono::steady_clock::now();
      while (SecondsSince(start) < time) {
        if (sent - matched > kUnmatched) {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          continue;
        }
        for (v1::SessionCommand& command : *request.mutable_commands()) {
          command.set_request(*next);
          FillTicket("duel", (*next)++, static_cast<double>(random.Between(1'000'000, 2'000'000)) / 1000,
                     command.mutable_enqueue()->mutable_ticket());
        }
        session.Send(request);
        sent += kBatch;
      }
      return SecondsSince(start);
    };
    send_for(1);
    const int64_t sent_before = sent, matched_before = matched;
    const CpuMeter cpu(server);
    const double elapsed = send_for(seconds);
    const int64_t sent_now = sent - sent_before, matched_now = matched - matched_before;
    rates.push_back(static_cast<double>(matched_now) / elapsed);
    const std::string used = cpu.PerOperation(static_cast<double>(matched_now));
    session.Close();
    reader.join();
    std::printf("session: %.0f tickets/s in, %.0f tickets/s matched and told (%s); %" PRId64 " sent, %" PRId64
                " answered\n",
                static_cast<double>(sent_now) / elapsed, rates.back(), used.c_str(), sent.load(), answered.load());
  }
  std::sort(rates.begin(), rates.end());
  std::printf("session: median %.0f tickets/s matched and told (bar 250000)\n", rates[rates.size() / 2]);
}

}  // namespace evenmatch
