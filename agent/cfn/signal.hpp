// cfn-signal: tells a wait condition how something went.
#pragma once

#include <string>

#include "agent/cfn/world.hpp"

namespace hearth::agent {

struct CfnSignal {
  std::string url;
  std::string success = "true";
  std::string reason = "Configuration Complete";
  std::string data = "Application has completed configuration.";
  std::string id;         ///< empty = this machine's: its UUID in Nova, else its host name
  std::string exit_code;  ///< wins over `success`
  bool insecure = false;
};

/// The request's body: {"Status", "Reason", "UniqueId", "Data"}.
[[nodiscard]] std::string signal_text(const CfnSignal& signal, const std::string& id);

/// The machine's UUID in Nova's metadata, kept in /var/lib/heat-cfntools/nova_meta.json; else `host_name`.
[[nodiscard]] std::string instance_id(const std::string& host_name, const CfnWorld& world);

/// PUTs the signal, without a Content-Type, which is part of the URL's signature; again when the server may be better
/// in a moment. Exit status, as curl has it: 0 delivered, 7 no answer, 22 the server refused it.
int send_cfn_signal(const CfnSignal& signal, const std::string& id, const CfnWorld& world);

}  // namespace hearth::agent
