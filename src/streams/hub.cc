#include "streams/hub.h"

#include <algorithm>
#include <utility>

namespace evenmatch {

void Hub::Watch(uint64_t handle, StreamPtr stream, std::vector<Event> backlog, bool final) {
  stream->AddBacklog(std::move(backlog));
  touched_.push_back(stream);
  if (final) {
    Finish(stream);
  } else {
    watchers_[handle].push_back(std::move(stream));
  }
}

void Hub::Unwatch(uint64_t handle, const Stream* stream) {
  const auto it = watchers_.find(handle);
  if (it == watchers_.end()) return;
  Watchers& watchers = it->second;
  watchers.erase(std::remove_if(watchers.begin(), watchers.end(),
                                [stream](const StreamPtr& other) { return other.get() == stream; }),
                 watchers.end());
  if (watchers.empty()) watchers_.erase(it);
}

void Hub::OpenSession(const std::string& id, StreamPtr stream, std::vector<Event> backlog) {
  Session& session = sessions_[id];
  if (session.stream != nullptr && session.stream != stream) {
    session.stream->FinishAfterWrite(absl::AbortedError("a newer stream of this session took over"),
                                     StreamEnd::kReplaced);
    // Its write may stall, and then somebody has to end it.
    if (!session.stream->ended()) finishing_.push_back(std::move(session.stream));
  }
  stream->AddBacklog(std::move(backlog));
  session = Session{std::move(stream)};
  Touch(session);
}

void Hub::CloseSession(const std::string& id, const Stream* stream) {
  const auto it = sessions_.find(id);
  if (it != sessions_.end() && it->second.stream.get() == stream) sessions_.erase(it);
}

void Hub::Tell(const Event& event) {
  if (!watchers_.empty()) {
    if (const auto it = watchers_.find(event.handle); it != watchers_.end()) {
      for (StreamPtr& stream : it->second) {
        stream->Offer(event);
        if (IsFinal(event.kind)) Finish(stream);
        touched_.push_back(stream);
      }
      if (IsFinal(event.kind)) watchers_.erase(it);
    }
  }
  if (sessions_.empty() || event.kind == EventKind::kQueued || event.ticket->session == nullptr) return;
  const auto it = sessions_.find(*event.ticket->session);
  if (it == sessions_.end()) return;
  it->second.stream->Offer(event);
  Touch(it->second);
}

void Hub::FlushTouched(Micros now) {
  if (touched_.empty()) return;
  for (const StreamPtr& stream : touched_) stream->Flush(now);
  touched_.clear();
  ++round_;
}

void Hub::EndStalled(Micros now, Micros limit) {
  ForEach([&](Stream& stream) { stream.EndIfStalled(now, limit); });
  absl::erase_if(sessions_, [](const auto& entry) { return entry.second.stream->ended(); });
  absl::erase_if(watchers_, [](auto& entry) {
    Watchers& watchers = entry.second;
    watchers.erase(
        std::remove_if(watchers.begin(), watchers.end(), [](const StreamPtr& stream) { return stream->ended(); }),
        watchers.end());
    return watchers.empty();
  });
  std::erase_if(finishing_, [](const StreamPtr& stream) { return stream->ended(); });
}

void Hub::EndAll(const absl::Status& status, StreamEnd reason) {
  ForEach([&](Stream& stream) { stream.End(status, reason); });
  watchers_.clear();
  sessions_.clear();
  finishing_.clear();
  touched_.clear();
}

void Hub::FinishAll(const absl::Status& status, StreamEnd reason, Micros now) {
  FlushTouched(now);
  ForEach([&](Stream& stream) {
    stream.FinishWhenWritten(status, reason);
    stream.Flush(now);
  });
  watchers_.clear();
  sessions_.clear();
  finishing_.clear();
}

void Hub::Finish(const StreamPtr& stream) {
  stream->FinishWhenWritten(absl::OkStatus(), StreamEnd::kDone);
  finishing_.push_back(stream);
}

void Hub::Touch(Session& session) {
  if (std::exchange(session.touched_in, round_) != round_) touched_.push_back(session.stream);
}

template <typename Visitor>
void Hub::ForEach(Visitor visit) {
  for (auto& [handle, watchers] : watchers_) {
    for (const StreamPtr& stream : watchers) visit(*stream);
  }
  for (auto& [id, session] : sessions_) visit(*session.stream);
  for (const StreamPtr& stream : finishing_) visit(*stream);
}

}  // namespace evenmatch
