#include "tools/failure.h"

#include <string>

#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "tools/client.h"

namespace evenmatch {
namespace {

grpc::Status Violation(const std::string& message, const std::string& field, const std::string& description) {
  google::rpc::BadRequest bad;
  auto* violation = bad.add_field_violations();
  violation->set_field(field);
  violation->set_description(description);
  google::rpc::Status details;
  details.add_details()->PackFrom(bad);
  return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, message, details.SerializeAsString());
}

std::string Text(const grpc::Status& status) { return FailureText(false, FailureOf(status)); }

TEST(Failure, SaysEverythingTheDetailsAdd) {
  google::rpc::Status details;
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(2);
  details.add_details()->PackFrom(retry);
  google::rpc::ResourceInfo resource;
  resource.set_resource_type("ticket");
  resource.set_resource_name("t1");
  details.add_details()->PackFrom(resource);
  EXPECT_EQ(Text(grpc::Status(grpc::StatusCode::ALREADY_EXISTS, "busy", details.SerializeAsString())),
            "evenmatch: ALREADY_EXISTS: busy (try again in 2s) (ticket t1)\n");
  EXPECT_EQ(Text(grpc::Status(grpc::StatusCode::UNAVAILABLE, "", "not a status")), "evenmatch: UNAVAILABLE\n");
  EXPECT_EQ(CodeName(8), "RESOURCE_EXHAUSTED");
}

TEST(Failure, NamesAFieldOnce) {
  EXPECT_EQ(Text(Violation("bad rating", "players[0].rating", "must be finite")),
            "evenmatch: INVALID_ARGUMENT: bad rating (players[0].rating: must be finite)\n");
  EXPECT_EQ(Text(Violation("must be finite", "players[0].rating", "must be finite")),
            "evenmatch: INVALID_ARGUMENT: must be finite (players[0].rating)\n");
  EXPECT_EQ(Text(Violation("ticket.timeout: at most 24h", "ticket.timeout", "ticket.timeout: at most 24h")),
            "evenmatch: INVALID_ARGUMENT: ticket.timeout: at most 24h\n");
}

TEST(Failure, JsonIsOneObjectOnOneLine) {
  EXPECT_EQ(FailureText(true, FailureOf(Violation("f: no \"x\"\n", "f", ""))),
            R"({"code":"INVALID_ARGUMENT","message":"f: no \"x\"\n","field":"f"})"
            "\n");
  EXPECT_EQ(FailureText(true, FailureOf(absl::NotFoundError("cannot read x"))),
            R"({"code":"NOT_FOUND","message":"cannot read x","field":""})"
            "\n");
}

}  // namespace
}  // namespace evenmatch
