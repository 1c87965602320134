#include "rpc/status.h"

#include <string_view>

#include "google/rpc/error_details.pb.h"

namespace evenmatch {
namespace {

constexpr int kRetrySeconds = 1;
constexpr std::string_view kAfterField = ": ";

void AddResource(const char* type, const std::string& name, google::rpc::Status* details) {
  if (name.empty()) return;
  google::rpc::ResourceInfo resource;
  resource.set_resource_type(type);
  resource.set_resource_name(name);
  details->add_details()->PackFrom(resource);
}

bool MayWorkLater(const Fault& fault) {
  return absl::IsResourceExhausted(fault.status) || absl::IsUnavailable(fault.status);
}

// The message without the path that it may begin with: the field stands beside it.
std::string_view Description(const Fault& fault, std::string_view message) {
  if (message.starts_with(fault.field) && message.substr(fault.field.size()).starts_with(kAfterField)) {
    message.remove_prefix(fault.field.size() + kAfterField.size());
  }
  return message;
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
    violation->set_description(std::string(Description(fault, message)));
    details.add_details()->PackFrom(bad_request);
  }
  AddResource("ticket", fault.ticket_id, &details);
  AddResource("match", fault.match_id, &details);
  if (MayWorkLater(fault)) {
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
  if (MayWorkLater(fault)) error->mutable_retry_delay()->set_seconds(kRetrySeconds);
}

}  // namespace evenmatch
