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

grpc::Status ToGrpcStatus(const Fault& fault) {
  if (fault.status.ok()) return grpc::Status::OK;
  const std::string message(fault.status.message());
  google::rpc::Status details;
  details.set_code(static_cast<int>(fault.status.code()));
  details.set_message(message);
  if (!fault.field.empty()) {
    google::rpc::BadRequest bad_request;
    auto* violation = bad_request.add_field_violations();
    violation->set_field(fault.field);
    violation->set_description(message);
    details.add_details()->PackFrom(bad_request);
  }
  AddResource("ticket", fault.ticket_id, &details);
  AddResource("match", fault.match_id, &details);
  if (absl::IsResourceExhausted(fault.status) || absl::IsUnavailable(fault.status)) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(kRetrySeconds);
    details.add_details()->PackFrom(retry);
  }
  // Codes without details travel alone: the trailer would only repeat them.
  const std::string binary = details.details().empty() ? "" : details.SerializeAsString();
  return grpc::Status(static_cast<grpc::StatusCode>(fault.status.code()), message, binary);
}

void ToProto(const Fault& fault, v1::CommandError* error) {
  error->set_code(static_cast<int>(fault.status.code()));
  error->set_message(fault.status.message().data(), fault.status.message().size());
  error->set_field(fault.field);
  error->set_ticket_id(fault.ticket_id);
  error->set_match_id(fault.match_id);
}

}  // namespace evenmatch
