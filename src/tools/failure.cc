#include "tools/failure.h"

#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/strings.h"
#include "google/rpc/error_details.pb.h"
#include "tools/client.h"

namespace evenmatch {
namespace {

constexpr int kFailed = 1;

// The server's message names the field already, and the violation repeats the message.
void AppendViolation(const google::rpc::BadRequest::FieldViolation& violation, std::string_view said,
                     std::string* text) {
  if (said.starts_with(violation.field() + ":")) return;
  const bool new_words = !violation.description().empty() && violation.description() != said;
  absl::StrAppend(text, " (", violation.field(), new_words ? ": " : "", new_words ? violation.description() : "", ")");
}

void AddDetail(const google::protobuf::Any& detail, std::string_view said, Failure* failure) {
  google::rpc::BadRequest bad;
  google::rpc::ResourceInfo resource;
  google::rpc::RetryInfo retry;
  if (detail.UnpackTo(&bad)) {
    for (const auto& violation : bad.field_violations()) {
      if (failure->field.empty()) failure->field = violation.field();
      AppendViolation(violation, said, &failure->message);
    }
  } else if (detail.UnpackTo(&resource)) {
    absl::StrAppend(&failure->message, " (", resource.resource_type(), " ", resource.resource_name(), ")");
  } else if (detail.UnpackTo(&retry)) {
    const absl::Duration delay =
        absl::Seconds(retry.retry_delay().seconds()) + absl::Nanoseconds(retry.retry_delay().nanos());
    absl::StrAppend(&failure->message, " (try again in ", absl::FormatDuration(delay), ")");
  }
}

}  // namespace

Failure FailureOf(const grpc::Status& status) {
  Failure failure{CodeName(status.error_code()), status.error_message(), ""};
  google::rpc::Status details;
  if (!status.error_details().empty() && details.ParseFromString(status.error_details())) {
    for (const auto& detail : details.details()) AddDetail(detail, status.error_message(), &failure);
  }
  return failure;
}

Failure FailureOf(const absl::Status& status) {
  return {CodeName(static_cast<int>(status.code())), std::string(ToStd(status.message())), ""};
}

std::string FailureText(bool json, const Failure& failure) {
  if (json) {
    return absl::StrCat("{\"code\":", JsonQuoted(failure.code), ",\"message\":", JsonQuoted(failure.message),
                        ",\"field\":", JsonQuoted(failure.field), "}\n");
  }
  const bool both = !failure.code.empty() && !failure.message.empty();
  return absl::StrCat("evenmatch: ", failure.code, both ? ": " : "", failure.message, "\n");
}

int Fail(bool json, const Failure& failure) {
  std::fputs(FailureText(json, failure).c_str(), stderr);
  return kFailed;
}

}  // namespace evenmatch
