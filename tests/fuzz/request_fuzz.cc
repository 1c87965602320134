// Bytes from outside as requests: reading them, telling what is wrong with them, and turning them into commands. The
// first byte chooses the kind of request.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "google/protobuf/stubs/logging.h"
#include "rpc/parse.h"
#include "rpc/wire.h"

namespace evenmatch {
namespace {

struct World {
  Catalog catalog;
  Limits limits;
  Parser parser{catalog, limits};

  World() : catalog(MakeCatalog()) {
    // The library writes a line for every text that is not UTF-8.
    google::protobuf::SetLogHandler(nullptr);
  }
  static Catalog MakeCatalog() {
    QueueRules duel;
    duel.name = "duel";
    QueueRules squad;
    squad.name = "squad";
    squad.team_size = 5;
    QueueRules arena;
    arena.name = "arena";
    arena.group = 1;
    Catalog catalog;
    catalog.queues = {duel, squad, arena};
    catalog.groups = {{"default", {0, 1}}, {"other", {2}}};
    return catalog;
  }
};

void CheckTicket(const Ticket& ticket, const World& world) {
  const Limits& limits = world.limits;
  CHECK(ticket.ticket_id.size() <= limits.id_bytes && IsUtf8(ticket.ticket_id));
  CHECK(!ticket.players.empty() && ticket.players.size() <= limits.players_per_ticket);
  CHECK(!ticket.queues.empty() && ticket.queues.size() <= limits.queues_per_ticket);
  CHECK(ticket.timeout > 0 && ticket.timeout <= limits.ticket_timeout);
  for (const QueueChoice& choice : ticket.queues) {
    const QueueRules& rules = world.catalog.queues[choice.queue];
    CHECK_EQ(rules.group, ticket.group);
    CHECK_LE(ticket.players.size(), static_cast<size_t>(rules.team_size));
    const MilliPoints value = ValueIn(ticket, choice, rules.start_value);
    CHECK(value >= -limits.rating && value <= limits.rating);
  }
  for (const Player& player : ticket.players) {
    CHECK(!player.player_id.empty() && player.player_id.size() <= limits.id_bytes);
    CHECK(FindTextFault(player.player_id) == TextFault::kNone);
    CHECK(player.deviation >= 0 && player.deviation <= limits.deviation);
  }
}

void CheckParsed(const Parsed& parsed, const World& world) {
  if (!parsed.status.ok()) {
    CHECK(absl::IsInvalidArgument(parsed.status) || absl::IsNotFound(parsed.status));
    CHECK(!parsed.field.empty());
    return;
  }
  CHECK_LT(parsed.group, world.catalog.groups.size());
  if (const auto* enqueue = std::get_if<EnqueueCommand>(&parsed.command)) CheckTicket(*enqueue->ticket, world);
}

template <typename Request>
void Try(std::string_view bytes, const World& world) {
  Request request;
  if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    FindBadText(bytes, *Request::descriptor());
    return;
  }
  CheckParsed(world.parser.Parse(request, Origin{}), world);
}

void TrySession(std::string_view bytes, const World& world) {
  v1::SessionRequest request;
  std::vector<BadCommand> bad;
  if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) && !SalvageSession(bytes, &request, &bad)) {
    return;
  }
  for (const v1::SessionCommand& command : request.commands()) {
    CheckParsed(world.parser.Parse(command, Origin{}), world);
  }
}

}  // namespace
}  // namespace evenmatch

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace evenmatch;
  static const World* const world = new World;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'e':
      Try<v1::EnqueueRequest>(bytes, *world);
      break;
    case 's':
      TrySession(bytes, *world);
      break;
    case 'c':
      Try<v1::CancelRequest>(bytes, *world);
      break;
    case 'w':
      Try<v1::WatchTicketRequest>(bytes, *world);
      break;
    case 'x':
      Try<v1::ExplainTicketRequest>(bytes, *world);
      break;
    case 'm':
      Try<v1::GetMatchRequest>(bytes, *world);
      break;
    case 'q': {
      v1::WatchQueueStatsRequest request;
      Micros interval = 0;
      if (request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        CheckParsed(world->parser.Parse(request, &interval), *world);
        CHECK_GT(interval, 0);
      }
      break;
    }
  }
  return 0;
}
