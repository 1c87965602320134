// CHECK: facts that only a bug of ours can break. On in release too; prints the place and the fact, then aborts.
// What a caller or a disk can break is an absl::Status, never a CHECK.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace evenmatch::internal {

[[noreturn]] inline void CheckFailed(const char* file, int line, const char* fact) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, fact);
  std::fflush(stderr);
  std::abort();
}

}  // namespace evenmatch::internal

#define CHECK(condition)                             \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? (void)0                                     \
       : ::evenmatch::internal::CheckFailed(__FILE__, __LINE__, #condition))
#define CHECK_EQ(a, b) CHECK((a) == (b))
#define CHECK_NE(a, b) CHECK((a) != (b))
#define CHECK_LT(a, b) CHECK((a) < (b))
#define CHECK_LE(a, b) CHECK((a) <= (b))
#define CHECK_GT(a, b) CHECK((a) > (b))
#define CHECK_GE(a, b) CHECK((a) >= (b))
