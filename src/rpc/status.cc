#include "rpc/status.h"

#include "google/rpc/error_details.pb.h"

namespace evenmatch {
namespace {

constexpr int kRetrySeconds = 1;

void AddResource(const char* type, const std::string& name, google::rpc::Status* details) {
  if (name.empty()) return;
  google::rpc::ResourceInfo resource;
  resource.set_resource_type(type);
  resource.set_resource_name(name);
  details->add_details()->PackFrom(resource);
}

}  // namespace

grpc::Status ToGrpcStatus(const Refusal& refusal) {
  if (refusal.status.ok()) return grpc::Status::OK;
  const std::string message(refusal.status.message());
  google::rpc::Status details;
  details.set_code(static_cast<int>(refusal.status.code()));
  details.set_message(message);
  if (!refusal.field.empty()) {
    google::rpc::BadRequest bad_request;
    auto* violation = bad_request.add_field_violations();
    violation->set_field(refusal.field);
    violation->set_description(message);
    details.add_details()->PackFrom(bad_request);
  }
  AddResource("ticket", refusal.ticket_id, &details);
  AddResource("match", refusal.match_id, &details);
  if (absl::IsResourceExhausted(refusal.status) || absl::IsUnavailable(refusal.status)) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(kRetrySeconds);
    details.add_details()->PackFrom(retry);
  }
  // Codes without details travel alone: the trailer would only repeat them.
  const std::string binary = details.details().empty() ? "" : details.SerializeAsString();
  return grpc::Status(static_cast<grpc::StatusCode>(refusal.status.code()), message, binary);
}

void ToProto(const Refusal& refusal, v1::CommandError* error) {
  error->set_code(static_cast<int>(refusal.status.code()));
  error->set_message(refusal.status.message().data(), refusal.status.message().size());
  error->set_field(refusal.field);
  error->set_ticket_id(refusal.ticket_id);
  error->set_match_id(refusal.match_id);
}

}  // namespace evenmatch
