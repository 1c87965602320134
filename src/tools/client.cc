#include "tools/client.h"

#include <fstream>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"

namespace evenmatch {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", name));
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const ConnectOptions& options,
                                                           grpc::ChannelArguments arguments) {
  // Without this all channels to one address share one connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  if (options.tls_ca.empty() && options.tls_cert.empty() && options.tls_key.empty()) {
    return grpc::CreateCustomChannel(options.address, grpc::InsecureChannelCredentials(), arguments);
  }
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return absl::InvalidArgumentError("a client certificate and its key come together: --tls-cert and --tls-key");
  }
  grpc::SslCredentialsOptions ssl;
  if (!options.tls_ca.empty()) {
    ASSIGN_OR_RETURN(ssl.pem_root_certs, ReadFile(options.tls_ca));
  }
  if (!options.tls_cert.empty()) {
    ASSIGN_OR_RETURN(ssl.pem_cert_chain, ReadFile(options.tls_cert));
    ASSIGN_OR_RETURN(ssl.pem_private_key, ReadFile(options.tls_key));
  }
  return grpc::CreateCustomChannel(options.address, grpc::SslCredentials(ssl), arguments);
}

std::string CodeName(int code) { return absl::StatusCodeToString(static_cast<absl::StatusCode>(code)); }

}  // namespace evenmatch
