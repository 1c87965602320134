// Queues: the completion queues of the server and their threads.
//
// gRPC as packaged checks every operation against all that are under way on its queue, one by one, so an open stream
// slows down whatever shares its queue. Hence short calls (and sessions, which are few) have queues of their own, and
// streams are spread: a queue is filled up to kStreamsPerQueue before the next one begins, and past the last of them
// the emptiest takes the next stream. A queue without streams has no thread.
//
// Threads: Pick and Leave from any; the rest from the owner.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "grpcpp/completion_queue.h"
#include "grpcpp/server_builder.h"

namespace evenmatch {

class Queues {
 public:
  static constexpr int kStreamsPerQueue = 5000;
  static constexpr int kStreamQueues = 8;

  struct StreamQueue {
    std::unique_ptr<grpc::ServerCompletionQueue> queue;
    std::thread thread;
    std::atomic<int> streams = 0;  // open ones and those listened for
  };

  Queues(grpc::ServerBuilder* builder, int unary_queues);
  ~Queues();

  // Begins to work on the queues of short calls.
  void Start();

  const std::vector<std::unique_ptr<grpc::ServerCompletionQueue>>& unary() const { return unary_; }

  // A queue for one more stream; Leave when it is gone.
  StreamQueue* Pick();
  void Leave(StreamQueue* queue) { queue->streams.fetch_sub(1, std::memory_order_relaxed); }

  // No operation may begin any more. Works off what is left and ends the threads.
  void Shutdown();

 private:
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> unary_;
  std::vector<std::thread> unary_threads_;
  std::vector<std::unique_ptr<StreamQueue>> streams_;
  std::mutex mutex_;  // Pick
};

}  // namespace evenmatch
