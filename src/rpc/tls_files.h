// Paths of the PEM files of TLS.
#pragma once

#include <string>

namespace evenmatch {

struct TlsFiles {
  std::string certificate;  // the chain; empty: no TLS
  std::string key;
  std::string client_ca;  // authorities that clients' certificates must be signed by; empty: clients need none
};

}  // namespace evenmatch
