// Changes of a node or port as a JSON Patch (RFC 6902: add, replace, remove), the way Ironic's clients send them. Pure.
#pragma once

#include <string>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// Throws Refusal (400) for what can't be applied.
[[nodiscard]] Json patched_document(Json document, const Json& patch);
/// Throws Refusal (400) for what is not allowed; the node is then as it was.
[[nodiscard]] Node patched(const Node& node, const Json& patch);
[[nodiscard]] Port patched(const Port& port, const Json& patch);

/// Fields of a request to create a node put into it. Throws Refusal (400) for unknown ones.
void take_fields(Node& node, const Json& body);
void take_fields(Port& port, const Json& body);

/// lower case with colons; throws Refusal (400) "Expected valid MAC address for address: X".
[[nodiscard]] std::string checked_mac(const std::string& text);
/// Throws Refusal (400) for names that could not stand in a URL or look like a UUID.
void check_name(const std::string& name);

}  // namespace hearth::bootstrap
