#include "tools/load.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "evenmatch/v1/admin_service.grpc.pb.h"
#include "evenmatch/v1/match_service.grpc.pb.h"
#include "grpcpp/channel.h"
#include "tools/bell.h"
#include "tools/failure.h"
#include "tools/progress_bar.h"
#include "tools/run.h"
#include "tools/session_worker.h"
#include "tools/unary_worker.h"

namespace evenmatch {
namespace {

constexpr auto kEndMatchesEvery = std::chrono::milliseconds(10);

void ShowProgress(const Run& run, Bell* over) {
  ProgressBar bar(true);
  while (!over->WaitFor(ProgressBar::kEvery)) {
    const uint64_t sent = run.ledger.sent(), size = std::max<uint64_t>(run.ledger.size(), 1);
    bar.Show(static_cast<double>(sent) / static_cast<double>(size),
             absl::StrCat(sent, " sent, ", run.ledger.matched(), " matched, ",
                          run.ledger.accepted() - run.ledger.ended(), " waiting"));
  }
}

// Ends matches as they come, one call after the other.
void EndMatches(Run* run, std::shared_ptr<grpc::Channel> channel, Bell* over, Tally* tally) {
  const auto stub = v1::MatchService::NewStub(channel);
  for (bool last = false; !last;) {
    last = over->WaitFor(kEndMatchesEvery);
    for (std::string& id : run->TakeMatches()) {
      grpc::ClientContext context;
      SetDeadline(&context);
      v1::EndMatchRequest request;
      v1::EndMatchResponse response;
      request.set_match_id(std::move(id));
      const grpc::Status status = stub->EndMatch(&context, request, &response);
      if (!status.ok()) ++tally->errors[status.error_code()];
    }
  }
}

std::string FreshMark() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return RunIds::MarkOf(HashMix(static_cast<uint64_t>(getpid()), static_cast<uint64_t>(now.count())));
}

}  // namespace

absl::StatusOr<v1::QueueInfo> FindQueue(const ConnectOptions& connect, const std::string& queue) {
  ASSIGN_OR_RETURN(const std::shared_ptr<grpc::Channel> channel, OpenChannel(connect));
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::ListQueuesResponse response;
  const grpc::Status status = v1::AdminService::NewStub(channel)->ListQueues(&context, {}, &response);
  if (!status.ok()) {
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    return absl::Status(code, absl::StrCat(connect.address, ": ", FailureOf(status).message));
  }
  std::vector<std::string> names;
  for (v1::QueueInfo& info : *response.mutable_queues()) {
    if (info.queue() == queue) return std::move(info);
    names.push_back(info.queue());
  }
  return absl::NotFoundError(absl::StrCat("no queue \"", queue, "\"; there are ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<Report> PlayLoad(const LoadOptions& options, const v1::QueueInfo& queue, const Population& population,
                                MatchObserver observer) {
  grpc::ChannelArguments arguments;
  // A third less work a call; deadlines and size limits of the client go with it, the run has its own.
  if (options.mode == LoadOptions::Mode::kUnary) arguments.SetInt(GRPC_ARG_MINIMAL_STACK, 1);
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (int i = 0; i < options.connections; ++i) {
    ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel, OpenChannel(options.connect, arguments));
    // The connection is no part of what is measured.
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10))) {
      return absl::UnavailableError(absl::StrCat("no connection to ", options.connect.address));
    }
    channels.push_back(std::move(channel));
  }

  const RunIds ids(FreshMark());
  const bool session = options.mode == LoadOptions::Mode::kSession;
  Run run(options, queue, population, ids, std::move(observer), session ? options.connections : 1);
  Bell over;
  Tally tally;
  std::thread progress, ender;
  if (options.progress) progress = std::thread([&] { ShowProgress(run, &over); });
  if (options.end_matches) ender = std::thread([&] { EndMatches(&run, channels[0], &over, &tally); });

  std::vector<Tally> tallies;
  if (session) {
    std::vector<std::unique_ptr<SessionWorker>> workers;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < channels.size(); ++i) {
      workers.push_back(std::make_unique<SessionWorker>(&run, channels[i], static_cast<uint32_t>(i),
                                                        static_cast<uint32_t>(channels.size())));
      threads.emplace_back([worker = workers.back().get()] { worker->Play(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& worker : workers) tallies.push_back(worker->tally);
  } else {
    UnaryWorker worker(&run, channels);
    worker.Play();
    tallies.push_back(worker.tally);
  }
  over.Ring();
  if (progress.joinable()) progress.join();
  if (ender.joinable()) ender.join();
  for (const Tally& part : tallies) tally.Merge(part);
  return run.Summarize(tally);
}

}  // namespace evenmatch
