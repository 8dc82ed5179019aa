// Nodes and ports as Ironic's REST API shows them (API 1.87): all keys, secrets masked. Pure.
#pragma once

#include <string>
#include <string_view>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// For whom an object is shown.
struct View {
  std::string base;             ///< "http://192.0.2.1:6385"
  std::string host = "hearth";  ///< the conductor's name
  int minor = 87;               ///< of the API version asked for
  bool only_looks = false;      ///< for_readers()
};

[[nodiscard]] Json shown_node(const Node& node, const View& view);
/// The short form of lists.
[[nodiscard]] Json shown_node_briefly(const Node& node, const View& view);
/// The same with what becomes of it: its targets, errors, times.
[[nodiscard]] Json shown_node_state(const Node& node, const View& view);
[[nodiscard]] bool is_of_state(std::string_view field);
[[nodiscard]] Json shown_port(const Node& node, const Port& port, const View& view);
[[nodiscard]] Json shown_states(const Node& node, int minor);

/// The node and its ports as parameters of an agent's commands.
[[nodiscard]] Json shown_to_agent(const Node& node);
[[nodiscard]] Json shown_ports(const Node& node);

/// The two links that an object at `path` behind /v1 has.
[[nodiscard]] Json links_to(const View& view, const std::string& path);

/// Values of secret keys, at any depth, become "******".
[[nodiscard]] Json masked(Json value);
/// Whether the member of this name is a secret, or has one in it at any depth: by the name, or in a text.
[[nodiscard]] bool holds_secret(const std::string& key, const Json& value);
/// Without the members that hold one, which are left out whole: half a value would be taken for the whole.
[[nodiscard]] Json without_secret_members(Json object);
/// Whether the text has a "******" where a secret was: what was shown to somebody, and can't be taken back.
[[nodiscard]] bool is_mask(const std::string& key, const std::string& text);

/// For those who may only look: passwords in texts, too, and all that a machine is given at its first boot (user_data
/// and meta_data of x_seed) are "******".
[[nodiscard]] Json for_readers(Json value);

/// "available" has no name before API 1.2.
[[nodiscard]] Json state_json(State state, int minor);

}  // namespace hearth::bootstrap
