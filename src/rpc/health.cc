#include "rpc/health.h"

namespace evenmatch {

bool IsServiceName(std::string_view name) {
  return name.empty() || name == v1::MatchmakingService::service_full_name() ||
         name == v1::MatchService::service_full_name() || name == v1::AdminService::service_full_name() ||
         name == grpc::health::v1::Health::service_full_name();
}

grpc::health::v1::HealthCheckResponse HealthOf(const Core& core) {
  grpc::health::v1::HealthCheckResponse response;
  response.set_status(core.serving ? grpc::health::v1::HealthCheckResponse::SERVING
                                   : grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  return response;
}

}  // namespace evenmatch
