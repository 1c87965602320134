#include "rpc/credentials.h"

#include <gtest/gtest.h>

#include "tests/unit/rpc/tls_files.h"

namespace evenmatch {
namespace {

class CredentialsTest : public testing::Test {
 protected:
  const TestIdentity one_{"one"}, two_{"two"};
  const TestFolder folder_;
  const TlsFiles files_{folder_.Path("certificate"), folder_.Path("key"), folder_.Path("ca")};
};

TEST_F(CredentialsTest, TextsThatFitAreGood) {
  EXPECT_TRUE(CheckTls({one_.certificate(), one_.key(), two_.certificate()}, files_).ok());
  EXPECT_TRUE(CheckTls({one_.certificate() + two_.certificate(), one_.key(), two_.certificate()}, files_).ok())
      << "a chain";
}

TEST_F(CredentialsTest, WhatDoesNotFitNamesTheFile) {
  const std::string certificate = one_.certificate(), key = one_.key(), ca = two_.certificate();
  const std::pair<TlsTexts, std::string> cases[] = {
      {{certificate, two_.key(), ca}, files_.key},
      {{"", key, ca}, files_.certificate},
      {{certificate.substr(0, certificate.size() / 2), key, ca}, files_.certificate},
      {{certificate + ca.substr(0, ca.size() / 2), key, ca}, files_.certificate},
      {{certificate, key.substr(0, key.size() / 2), ca}, files_.key},
      {{certificate, "", ca}, files_.key},
      {{certificate, key, ""}, files_.client_ca},
      {{certificate, key, "nonsense"}, files_.client_ca},
  };
  for (const auto& [texts, file] : cases) {
    const absl::Status status = CheckTls(texts, files_);
    EXPECT_TRUE(absl::IsInvalidArgument(status));
    EXPECT_EQ(status.message().find("\"" + file + "\""), 0u) << status;
  }
}

TEST_F(CredentialsTest, OpenNeedsEveryFile) {
  EXPECT_FALSE(Credentials::Open(files_).ok());
  folder_.Write("certificate", one_.certificate());
  folder_.Write("key", one_.key());
  EXPECT_FALSE(Credentials::Open(files_).ok());
  folder_.Write("ca", two_.certificate());
  EXPECT_TRUE(Credentials::Open(files_).ok());
}

TEST_F(CredentialsTest, RefreshTakesAWholeNewPairAndTellsAHalfOneOnce) {
  folder_.Write("certificate", one_.certificate());
  folder_.Write("key", one_.key());
  folder_.Write("ca", two_.certificate());
  auto credentials = Credentials::Open(files_);
  ASSERT_TRUE(credentials.ok());
  EXPECT_FALSE(*(*credentials)->Refresh()) << "nothing new";
  folder_.Write("certificate", two_.certificate());
  EXPECT_TRUE(absl::IsInvalidArgument((*credentials)->Refresh().status()));
  EXPECT_FALSE(*(*credentials)->Refresh()) << "told already";
  folder_.Write("key", two_.key());
  EXPECT_TRUE(*(*credentials)->Refresh());
  EXPECT_FALSE(*(*credentials)->Refresh());
  std::filesystem::remove(files_.key);
  EXPECT_FALSE((*credentials)->Refresh().ok());
  folder_.Write("key", two_.key());
  EXPECT_FALSE(*(*credentials)->Refresh()) << "back to what it has";
}

}  // namespace
}  // namespace evenmatch
