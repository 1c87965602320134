#include "rpc/log.h"

#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/strings.h"
#include "google/protobuf/stubs/logging.h"
#include "grpc/support/log.h"
#include "spdlog/spdlog.h"

namespace evenmatch {
namespace {

constexpr int kLinesPerSecond = 10;
std::atomic<int> muted = 0;

}  // namespace

bool LogBudget::Take(Micros now, int64_t* left_out) {
  const int64_t second = now / kSecond;
  int64_t before = second_.load(std::memory_order_relaxed);
  // Of several threads that meet a new second one opens its budget; a line more or less does not matter.
  if (before != second && second_.compare_exchange_strong(before, second)) written_.store(0);
  if (written_.fetch_add(1) >= lines_per_second_) {
    left_out_.fetch_add(1);
    return false;
  }
  *left_out = left_out_.exchange(0);
  return true;
}

void WarnLimited(std::string_view text) {
  static LogBudget budget(kLinesPerSecond);
  const Micros now =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
  int64_t left_out = 0;
  if (!budget.Take(now, &left_out)) return;
  if (left_out > 0) spdlog::warn("{} lines like the next were left out", left_out);
  spdlog::warn("{}", text);
}

void WarnIfTooSlow(StreamEnd reason, std::string_view stream) {
  if (reason != StreamEnd::kStalled && reason != StreamEnd::kOverflow) return;
  WarnLimited(absl::StrCat(ToAbsl(stream), reason == StreamEnd::kStalled ? " read nothing for too long and was ended"
                                                                         : " read too slowly and was ended"));
}

void RouteLibraryLogs() {
  google::protobuf::SetLogHandler(
      [](google::protobuf::LogLevel, const char*, int, const std::string& text) { WarnLimited(text); });
  gpr_set_log_function([](gpr_log_func_args* line) {
    if (muted == 0) WarnLimited(absl::StrCat("gRPC: ", line->message));
  });
}

NoLibraryLogs::NoLibraryLogs() { ++muted; }

NoLibraryLogs::~NoLibraryLogs() { --muted; }

}  // namespace evenmatch
