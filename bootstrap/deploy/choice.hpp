// Which node becomes which server of a stack. Pure.
//
// A server names its flavor, and by scheduler_hints (`capabilities:node`) a single node. As in TripleO: a flavor other
// than "baremetal" is a node's profile (capability `profile`) or its resource class; "baremetal" is any node, those
// without profile first. A node that carries the server's UUID as instance_uuid is its node already.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::bootstrap {

struct Choice {
  std::map<std::string, std::string> nodes;    ///< server's UUID → node's UUID
  std::map<std::string, std::string> refused;  ///< server's UUID → why no node fits, each node with its reason
  std::map<std::string, std::string> waits;    ///< server's UUID → nodes that may fit, but are busy
  [[nodiscard]] bool complete() const { return refused.empty() && waits.empty(); }
};

/// `servers`: rows of the engine ({id, name, properties}). `nodes`: as Ironic's API shows them.
[[nodiscard]] Choice choose_nodes(const Json& servers, const Json& nodes);

/// The node's name, or its UUID where it has none.
[[nodiscard]] std::string node_title(const Json& node);
/// The image that the server asks for: its property image, or else the fallback.
[[nodiscard]] std::string image_of(const Json& server, const std::string& fallback);

}  // namespace hearth::bootstrap
