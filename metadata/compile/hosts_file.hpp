// The static addresses of all servers as lines of /etc/hosts (hosts(5)).
#pragma once

#include <string>
#include <vector>

#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

struct HostAddress {
  std::string address;
  std::string network;  ///< its name; empty when it is not known
};

/// In order: the ports and fixed addresses of the server's `networks`; else what the inventory tells (accessIPv4,
/// accessIPv6, first_address, networks); else, where the server is the only one of its stack, the ports in that stack
/// and below.
[[nodiscard]] std::vector<HostAddress> host_addresses(Resource& server);
/// "192.0.2.5 node-0 node-0.ctlplane", servers in the order of the tree; those without an address are in a comment.
[[nodiscard]] std::string hosts_text(Stack& root);

}  // namespace hearth::metadata
