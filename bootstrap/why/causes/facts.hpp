// What is known of a node, or of a stack, when somebody asks why: as it was fetched, or as an incident keeps it. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/why/causes/finding.hpp"

namespace hearth::bootstrap::why {

struct NodeFacts {
  Json node = Json::object();      ///< GET /v1/nodes/NODE
  Json events = Json::array();     ///< of it, oldest first: {"at", "kind", "text", "detail"}
  bool is_ours = true;             ///< else its conductor is another one of Ironic's API, and has no events
  bool is_served = true;           ///< else no conductor runs: this was read from the state that one left
  std::vector<std::string> macs;   ///< of its ports
  std::optional<Json> boot_log;    ///< nullopt: this conductor boots no machines itself
  Json strangers = Json::array();  ///< machines that ask for a boot and are no node's: {"mac", "how", "last_seen"}
  Stamp now = 0;
  std::optional<Finding> unkept;  ///< why its conductor could keep nothing then, whatever was to change
};

struct StackFacts {
  Json stack = Json::object();
  /// Of nested stacks, too; those that are complete and that no hook holds are left out. Failed deployments have what
  /// they wrote, as "deploy_stderr".
  Json resources = Json::array();
  std::map<std::string, NodeFacts> silent;  ///< nodes of servers that have not asked, by the server's name
};

/// What may be passed on, and stands on a terminal without harm: the members that are known, texts without secrets and
/// control characters, long ones cut. Doing it again changes nothing.
[[nodiscard]] NodeFacts safe_facts(const NodeFacts& facts);
[[nodiscard]] StackFacts safe_facts(const StackFacts& facts);
[[nodiscard]] std::string safe_text(std::string_view text);

[[nodiscard]] Json facts_json(const NodeFacts& facts);
[[nodiscard]] Json facts_json(const StackFacts& facts);
/// The other way round; members of another kind are taken for missing.
[[nodiscard]] NodeFacts node_facts_of(const Json& json);
[[nodiscard]] StackFacts stack_facts_of(const Json& json);

/// The answers: of a stack with what its conductor knows of machines that never asked, if they are not well.
[[nodiscard]] std::vector<Finding> causes_of(const NodeFacts& facts);
[[nodiscard]] std::vector<Finding> causes_of(const StackFacts& facts);

}  // namespace hearth::bootstrap::why
