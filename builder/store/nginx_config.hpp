// `hearth cache export --nginx`: the configuration of a server that keeps layers for a fleet, as nginx reads it beside
// its own (conf.d, sites-enabled): GET for who has a password, PUT for who may add layers. Pure.
#pragma once

#include <string>

#include "base/path.hpp"

namespace hearth::builder {

struct NginxSetup {
  fs::path directory;      ///< where layers, and who may use them, are kept
  std::string listen;      ///< as nginx has it: "8443", "127.0.0.1:8080"
  fs::path certificate;    ///< empty = no TLS
  fs::path key;            ///< of the certificate
  std::string user;        ///< as whom nginx's workers run
  std::string written_by;  ///< the command line that asks for it
};

/// Throws Error(usage) for what nginx would read otherwise than it is meant, and for no TLS where others than this
/// machine reach it.
[[nodiscard]] std::string nginx_config(const NginxSetup& setup);

}  // namespace hearth::builder
