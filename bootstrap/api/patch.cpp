#include "bootstrap/api/patch.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "bootstrap/conductor/transition.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

bool is_free_field(const std::string& key) {
  const auto& fields = free_fields();
  return std::any_of(fields.begin(), fields.end(), [&](const FreeField& field) { return field.name == key; });
}

/// What of a node may be changed from outside, as one document.
Json document_of(const Node& node) {
  Json document = {{"name", node.name.empty() ? Json() : Json(node.name)},
                   {"driver", node.driver},
                   {"instance_uuid", node.instance_uuid.empty() ? Json() : Json(node.instance_uuid)},
                   {"driver_info", node.driver_info},
                   {"properties", node.properties},
                   {"instance_info", node.instance_info},
                   {"extra", node.extra}};
  for (const FreeField& field : free_fields()) {
    const std::string key(field.name);
    document[key] = node.fields.contains(key) ? node.fields[key] : json_or_null(field.initial);
  }
  return document;
}

std::string unescaped(const std::string& part) { return replace_all(replace_all(part, "~1", "/"), "~0", "~"); }

[[noreturn]] void refuse_patch(const Json& row, const std::string& reason) {
  throw Refusal(400, cat("Couldn't apply patch '", format_json(row), "'. Reason: ", reason));
}

/// The object that the last part of the path names a member of.
Json& parent_of(Json& document, const std::vector<std::string>& parts, const Json& row) {
  Json* at = &document;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (at->is_object() && !at->contains(parts[i]) && text_in(row, "op") == "add") (*at)[parts[i]] = Json::object();
    if (!at->is_object() || !at->contains(parts[i])) {
      refuse_patch(row, cat("can't ", text_in(row, "op"), " a non-existent object '", parts[i], "'"));
    }
    at = &(*at)[parts[i]];
  }
  if (!at->is_object()) refuse_patch(row, cat("'", parts.back(), "' is no member of an object"));
  return *at;
}

void apply_row(Json& document, const Json& row) {
  const std::string operation = text_in(row, "op");
  const std::string path = text_in(row, "path");
  if (path.size() < 2 || path.front() != '/') refuse_patch(row, cat("path '", path, "' does not begin with /"));
  std::vector<std::string> parts;
  for (const std::string& part : split(path.substr(1), '/')) parts.push_back(unescaped(part));
  if (!document.contains(parts.front())) {
    throw Refusal(400, cat("Invalid input for field/attribute patch. '/", parts.front(),
                           "' is an internal attribute or unknown"));
  }
  Json& parent = parent_of(document, parts, row);
  if (operation == "remove") {
    const bool top = parts.size() == 1;
    if (!parent.contains(parts.back()))
      refuse_patch(row, cat("can't remove a non-existent object '", parts.back(), "'"));
    if (top)
      parent[parts.back()] = nullptr;
    else
      parent.erase(parts.back());
  } else if (operation == "add" || operation == "replace") {
    if (operation == "replace" && !parent.contains(parts.back())) {
      refuse_patch(row, cat("can't replace a non-existent object '", parts.back(), "'"));
    }
    parent[parts.back()] = row.value("value", Json());
  } else {
    refuse_patch(row, cat("unknown operation '", operation, "'"));
  }
}

Json object_or_empty(const Json& value, const char* field) {
  if (value.is_null()) return Json::object();
  if (!value.is_object()) throw Refusal(400, cat("Expected a JSON object for ", field));
  return value;
}

std::string initial_of(const std::string& key) {
  for (const FreeField& field : free_fields()) {
    if (field.name == key) return std::string(field.initial);
  }
  return "null";
}

/// Implementations that there are, where a node says which it is to have, by their names in Ironic.
void check_interfaces(const Node& node) {
  const auto check = [&node](const char* kind, const std::vector<std::string>& known) {
    const std::string given = text_in(node.fields, cat(kind, "_interface"));
    if (given.empty()) return;
    if (std::find(known.begin(), known.end(), given) == known.end()) {
      std::vector<std::string> shown;
      for (const std::string& name : known) shown.push_back(cat("'", name, "'"));
      throw Refusal(400, cat("Could not find the following interface in the 'ironic.hardware.interfaces.", kind,
                             "' entrypoint: ", given, ". Valid interfaces are [", join(shown, ", "), "]."));
    }
    if ((given == "redfish" && !speaks_redfish(node.driver)) || (given == "ipmitool-socat" && node.driver != "ipmi")) {
      throw Refusal(400, cat(kind, " interface implementation '", given, "' is not supported by hardware type ",
                             node.driver, "."));
    }
  };
  for (const char* kind : {"bios", "raid", "firmware"}) check(kind, {cat("no-", kind), "redfish"});
  check("console", {"no-console", "ipmitool-socat"});
  check("storage", {"noop"});
}

void put_back(Node& node, const Json& document) {
  const std::string name = text_in(document, "name");
  if (!name.empty()) check_name(name);
  node.name = name;
  node.driver = text_in(document, "driver");
  node.instance_uuid = text_in(document, "instance_uuid");
  node.driver_info = object_or_empty(document["driver_info"], "driver_info");
  node.properties = object_or_empty(document["properties"], "properties");
  node.instance_info = object_or_empty(document["instance_info"], "instance_info");
  node.extra = object_or_empty(document["extra"], "extra");
  for (const FreeField& field : free_fields()) {
    const std::string key(field.name);
    const Json& value = document[key];
    if (value.is_null() || value == json_or_null(initial_of(key)))
      node.fields.erase(key);
    else
      node.fields[key] = value;
  }
  check_interfaces(node);
}

}  // namespace

std::string checked_mac(const std::string& text) {
  const std::optional<pxe::Mac> mac = pxe::parse_mac(trim(text));
  if (!mac || !pxe::is_unicast(*mac)) throw Refusal(400, cat("Expected valid MAC address for address: ", text));
  return pxe::to_text(*mac);
}

void check_name(const std::string& name) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
  };
  // A path of the API: such a node could not be asked for.
  if (name == "detail" || name.size() > 255 || !std::all_of(name.begin(), name.end(), fits) || parse_uuid(name)) {
    throw Refusal(400, cat("Cannot create node with invalid name '", name, "'"));
  }
}

Json patched_document(Json document, const Json& patch) {
  if (!patch.is_array()) throw Refusal(400, "a JSON patch is a list of operations");
  for (const Json& row : patch) apply_row(document, row);
  return document;
}

Node patched(const Node& node, const Json& patch) {
  const Json document = patched_document(document_of(node), patch);
  Node result = node;
  put_back(result, document);
  return result;
}

Port patched(const Port& port, const Json& patch) {
  const Json before = {{"address", port.address},
                       {"physical_network", port.physical_network.empty() ? Json() : Json(port.physical_network)},
                       {"pxe_enabled", port.pxe_enabled},
                       {"local_link_connection", port.local_link_connection},
                       {"portgroup_uuid", port.group.empty() ? Json() : Json(port.group)},
                       {"is_smartnic", port.is_smartnic},
                       {"extra", port.extra}};
  Port result = port;
  take_fields(result, patched_document(before, patch));
  return result;
}

void take_fields(Node& node, const Json& body) {
  Json document = document_of(node);
  for (const auto& [key, value] : body.items()) {
    if (key == "uuid") continue;
    if (!document.contains(key) && !is_free_field(key)) {
      throw Refusal(400, cat("Unknown attribute for argument node: ", key));
    }
    document[key] = value;
  }
  put_back(node, document);
}

void take_fields(Port& port, const Json& body) {
  for (const auto& [key, value] : body.items()) {
    if (key == "address")
      port.address = checked_mac(text_of(value));
    else if (key == "physical_network")
      port.physical_network = text_of(value);
    else if (key == "pxe_enabled")
      port.pxe_enabled = !value.is_boolean() || value.get<bool>();
    else if (key == "local_link_connection")
      port.local_link_connection = object_or_empty(value, "local_link_connection");
    else if (key == "extra")
      port.extra = object_or_empty(value, "extra");
    else if (key == "portgroup_uuid")
      port.group = value.is_null() ? "" : parse_uuid(text_of(value)).value_or(text_of(value));
    else if (key == "is_smartnic")
      port.is_smartnic = value.is_boolean() && value.get<bool>();
    else if (key != "uuid" && key != "node_uuid") {
      throw Refusal(400, cat("Unknown attribute for argument port: ", key));
    }
  }
}

}  // namespace hearth::bootstrap
