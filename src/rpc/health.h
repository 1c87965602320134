// Health: whether the server serves, as in grpc.health.v1.
#pragma once

#include <string_view>

#include "rpc/core.h"

namespace evenmatch {

// Empty, for the server as a whole, or the full name of one of its services; they are all in one state.
bool IsServiceName(std::string_view name);

grpc::health::v1::HealthCheckResponse HealthOf(const Core& core);

}  // namespace evenmatch
