// Credentials: TLS for the server from files that may be replaced while it runs.
//
// Shape:   the files are read again by Refresh; what they hold is taken when all of it fits together: the certificate
//          chain and the authorities can be read and the key belongs to the certificate. Else the last good ones stay.
//          Every handshake begins with the newest; connections keep what they began with.
// Errors:  Open: INVALID_ARGUMENT naming the file. Refresh: the same, once as long as the fault stays the same.
// Threads: Refresh from one thread; handshakes come on any.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "grpcpp/security/server_credentials.h"
#include "rpc/tls_files.h"

namespace evenmatch {

// The texts of the files.
struct TlsTexts {
  std::string certificate;
  std::string key;
  std::string client_ca;

  friend bool operator==(const TlsTexts&, const TlsTexts&) = default;
};

// Whether they fit together.
absl::Status CheckTls(const TlsTexts& texts, const TlsFiles& names);

class Credentials {
 public:
  static absl::StatusOr<std::unique_ptr<Credentials>> Open(const TlsFiles& files);
  ~Credentials();

  // True: new ones were taken; false: nothing new.
  absl::StatusOr<bool> Refresh();

  // For one server. It keeps what it needs of this object alive.
  std::shared_ptr<grpc::ServerCredentials> ForServer() const;

 private:
  class Current;

  explicit Credentials(const TlsFiles& files);

  const TlsFiles files_;
  const std::shared_ptr<Current> current_;
  TlsTexts taken_;
  absl::Status told_;  // the fault of the files as they are
};

}  // namespace evenmatch
