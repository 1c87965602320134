#include "rpc/credentials.h"

#include <fstream>
#include <iterator>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "grpc/grpc_security.h"
#include "openssl/bio.h"
#include "openssl/err.h"
#include "openssl/pem.h"
#include "openssl/x509.h"

namespace evenmatch {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using BioPtr = std::unique_ptr<BIO, Free>;
using X509Ptr = std::unique_ptr<X509, Free>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free>;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || file.bad()) return absl::InvalidArgumentError(absl::StrCat(Quote(path), ": cannot be read"));
  return text;
}

absl::StatusOr<TlsTexts> ReadAll(const TlsFiles& files) {
  TlsTexts texts;
  ASSIGN_OR_RETURN(texts.certificate, ReadFile(files.certificate));
  ASSIGN_OR_RETURN(texts.key, ReadFile(files.key));
  if (!files.client_ca.empty()) {
    ASSIGN_OR_RETURN(texts.client_ca, ReadFile(files.client_ca));
  }
  return texts;
}

BioPtr Open(const std::string& text) { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// All certificates of a text, of which there is at least one; gives the first. A text that is cut off within a later
// one is bad as a whole.
absl::StatusOr<X509Ptr> ReadCertificates(const std::string& text, const std::string& name) {
  const BioPtr bio = Open(text);
  X509Ptr first;
  ERR_clear_error();
  while (X509Ptr next{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    if (first == nullptr) first = std::move(next);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (first == nullptr || !at_end) {
    return absl::InvalidArgumentError(absl::StrCat(Quote(name), ": not certificates in PEM"));
  }
  return first;
}

}  // namespace

absl::Status CheckTls(const TlsTexts& texts, const TlsFiles& names) {
  ASSIGN_OR_RETURN(const X509Ptr certificate, ReadCertificates(texts.certificate, names.certificate));
  const BioPtr bio = Open(texts.key);
  // An encrypted key has nobody to ask for its password.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  const KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (key == nullptr) return absl::InvalidArgumentError(absl::StrCat(Quote(names.key), ": not a private key in PEM"));
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return absl::InvalidArgumentError(
        absl::StrCat(Quote(names.key), ": not the key of the certificate in ", Quote(names.certificate)));
  }
  if (!names.client_ca.empty()) {
    RETURN_IF_ERROR(ReadCertificates(texts.client_ca, names.client_ca).status());
  }
  return absl::OkStatus();
}

// The newest good texts, fetched by gRPC before each handshake.
class Credentials::Current {
 public:
  void Set(TlsTexts texts) {
    std::lock_guard lock(mutex_);
    texts_ = std::move(texts);
    fetched_ = false;
  }

  static grpc_ssl_certificate_config_reload_status FetchFrom(void* self, grpc_ssl_server_certificate_config** config) {
    return static_cast<Current*>(self)->Fetch(config);
  }

 private:
  grpc_ssl_certificate_config_reload_status Fetch(grpc_ssl_server_certificate_config** config) {
    std::lock_guard lock(mutex_);
    if (fetched_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair = {texts_.key.c_str(), texts_.certificate.c_str()};
    // gRPC wants authorities even where it asks no client for a certificate; any will do there.
    const std::string& authorities = texts_.client_ca.empty() ? texts_.certificate : texts_.client_ca;
    *config = grpc_ssl_server_certificate_config_create(authorities.c_str(), &pair, 1);
    fetched_ = true;
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  std::mutex mutex_;
  TlsTexts texts_;
  bool fetched_ = false;
};

namespace {

// gRPC's C++ layer has no credentials that are fetched anew; its C layer has.
class FetchedCredentials final : public grpc::ServerCredentials {
 public:
  FetchedCredentials(std::shared_ptr<void> owner, bool ask_clients, grpc_ssl_server_certificate_config_callback fetch)
      : owner_(std::move(owner)),
        credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(
                ask_clients ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                            : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
                fetch, owner_.get()))) {}
  ~FetchedCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  const std::shared_ptr<void> owner_;
  grpc_server_credentials* const credentials_;
};

}  // namespace

Credentials::Credentials(const TlsFiles& files) : files_(files), current_(std::make_shared<Current>()) {}

Credentials::~Credentials() = default;

absl::StatusOr<std::unique_ptr<Credentials>> Credentials::Open(const TlsFiles& files) {
  std::unique_ptr<Credentials> credentials(new Credentials(files));
  RETURN_IF_ERROR(credentials->Refresh().status());
  return credentials;
}

absl::StatusOr<bool> Credentials::Refresh() {
  absl::StatusOr<TlsTexts> texts = ReadAll(files_);
  const absl::Status status = texts.ok() ? CheckTls(*texts, files_) : texts.status();
  if (!status.ok()) {
    if (status == told_) return false;
    told_ = status;
    return status;
  }
  told_ = absl::OkStatus();
  if (*texts == taken_) return false;
  taken_ = *std::move(texts);
  current_->Set(taken_);
  return true;
}

std::shared_ptr<grpc::ServerCredentials> Credentials::ForServer() const {
  return std::make_shared<FetchedCredentials>(current_, !files_.client_ca.empty(), &Current::FetchFrom);
}

}  // namespace evenmatch
