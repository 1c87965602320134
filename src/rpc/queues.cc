#include "rpc/queues.h"

#include "rpc/tag.h"

namespace evenmatch {
namespace {

void Work(grpc::CompletionQueue* queue) {
  void* tag;
  bool ok;
  while (queue->Next(&tag, &ok)) static_cast<Tag*>(tag)->Done(ok);
}

}  // namespace

Queues::Queues(grpc::ServerBuilder* builder, int unary_queues) {
  for (int i = 0; i < unary_queues; ++i) unary_.push_back(builder->AddCompletionQueue());
  for (int i = 0; i < kStreamQueues; ++i) {
    streams_.push_back(std::make_unique<StreamQueue>());
    // Said not to be polled often: gRPC answers calls of unknown methods on the others, and these may have no thread.
    streams_.back()->queue = builder->AddCompletionQueue(/*is_frequently_polled=*/false);
  }
}

Queues::~Queues() { Shutdown(); }

void Queues::Start() {
  for (const auto& queue : unary_) unary_threads_.emplace_back(Work, queue.get());
}

Queues::StreamQueue* Queues::Pick() {
  std::lock_guard lock(mutex_);
  StreamQueue* best = streams_.front().get();
  for (const auto& queue : streams_) {
    if (queue->streams < best->streams) best = queue.get();
    if (queue->streams < kStreamsPerQueue) {
      best = queue.get();
      break;
    }
  }
  best->streams.fetch_add(1, std::memory_order_relaxed);
  if (!best->thread.joinable()) best->thread = std::thread(Work, best->queue.get());
  return best;
}

void Queues::Shutdown() {
  for (const auto& queue : unary_) queue->Shutdown();
  for (const auto& queue : streams_) queue->queue->Shutdown();
  for (std::thread& thread : unary_threads_) thread.join();
  for (const auto& queue : streams_) {
    if (queue->thread.joinable()) queue->thread.join();
  }
  // Queues whose threads never began.
  for (const auto& queue : unary_) Work(queue.get());
  for (const auto& queue : streams_) Work(queue->queue.get());
  unary_threads_.clear();
  unary_.clear();
  streams_.clear();
}

}  // namespace evenmatch
