// The subjects of rpc_benchmark: each measures one thing of a server and prints what it found; see rpc_benchmark.cc.
//
// Shape:   `next` is the first number of a ticket that the server has not seen.
// Errors:  CHECK.
// Threads: one caller; they use threads of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/benchmark/server_process.h"

namespace evenmatch {

void BenchmarkUnary(const ServerProcess& server, double seconds, int rounds);
void BenchmarkSession(const ServerProcess& server, double seconds, int rounds, uint64_t* next);
void BenchmarkFanOut(const ServerProcess& server, size_t streams, int rounds, uint64_t* next);
void BenchmarkLatency(const ServerProcess& server, double seconds, uint64_t* next);

}  // namespace evenmatch
