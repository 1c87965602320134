#include "rpc/status.h"

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"

namespace evenmatch {
namespace {

google::rpc::Status Details(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  return details;
}

TEST(Status, OkIsOk) { EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok()); }

TEST(Status, CodesAreTheSameOnBothSides) {
  for (int code = 1; code <= 16; ++code) {
    const grpc::Status status = ToGrpcStatus(absl::Status(static_cast<absl::StatusCode>(code), "why"));
    EXPECT_EQ(static_cast<int>(status.error_code()), code);
    EXPECT_EQ(status.error_message(), "why");
  }
}

TEST(Status, FieldBecomesBadRequest) {
  const grpc::Status status = ToGrpcStatus(Fault{absl::InvalidArgumentError("a.b: bad"), "a.b", "", ""});
  const google::rpc::Status details = Details(status);
  EXPECT_EQ(details.code(), 3);
  ASSERT_EQ(details.details_size(), 1);
  google::rpc::BadRequest bad_request;
  ASSERT_TRUE(details.details(0).UnpackTo(&bad_request));
  EXPECT_EQ(bad_request.field_violations(0).field(), "a.b");
  EXPECT_EQ(bad_request.field_violations(0).description(), "bad") << "the field stands beside it";
  EXPECT_EQ(status.error_message(), "a.b: bad");
  ASSERT_TRUE(Details(ToGrpcStatus(Fault{absl::InvalidArgumentError("not now"), "a", "", ""}))
                  .details(0)
                  .UnpackTo(&bad_request));
  EXPECT_EQ(bad_request.field_violations(0).description(), "not now");
}

TEST(Status, WhatIsInTheWayBecomesResourceInfo) {
  google::rpc::ResourceInfo resource;
  google::rpc::Status details = Details(ToGrpcStatus(Fault{absl::AlreadyExistsError("x"), "", "t", ""}));
  ASSERT_EQ(details.details_size(), 1);
  ASSERT_TRUE(details.details(0).UnpackTo(&resource));
  EXPECT_EQ(resource.resource_type(), "ticket");
  EXPECT_EQ(resource.resource_name(), "t");
  details = Details(ToGrpcStatus(Fault{absl::FailedPreconditionError("x"), "", "", "m"}));
  ASSERT_TRUE(details.details(0).UnpackTo(&resource));
  EXPECT_EQ(resource.resource_type(), "match");
  EXPECT_EQ(resource.resource_name(), "m");
}

TEST(Status, WhatMayWorkLaterHasRetryInfo) {
  for (const absl::Status& status : {absl::ResourceExhaustedError("x"), absl::UnavailableError("x")}) {
    google::rpc::RetryInfo retry;
    const google::rpc::Status details = Details(ToGrpcStatus(status));
    ASSERT_EQ(details.details_size(), 1);
    ASSERT_TRUE(details.details(0).UnpackTo(&retry));
    EXPECT_GT(retry.retry_delay().seconds(), 0);
  }
  EXPECT_TRUE(ToGrpcStatus(absl::NotFoundError("x")).error_details().empty());
}

TEST(Status, CommandErrorSaysTheSame) {
  v1::CommandError error;
  ToProto(Fault{absl::AlreadyExistsError("x"), "f", "t", "m"}, &error);
  EXPECT_EQ(error.code(), 6);
  EXPECT_EQ(error.message(), "x");
  EXPECT_EQ(error.field(), "f");
  EXPECT_EQ(error.ticket_id(), "t");
  EXPECT_EQ(error.match_id(), "m");
  EXPECT_FALSE(error.has_retry_delay());
  ToProto(Fault{absl::UnavailableError("x"), "", "", ""}, &error);
  EXPECT_GT(error.retry_delay().seconds(), 0);
}

}  // namespace
}  // namespace evenmatch
