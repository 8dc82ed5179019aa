#include "bootstrap/inventory/entry_check.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/redaction.hpp"
#include "base/text.hpp"
#include "bootstrap/node/capabilities.hpp"
#include "bootstrap/node/root_hints.hpp"
#include "bootstrap/node/shown.hpp"
#include "bootstrap/power/driver_keys.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::array<std::string_view, 15> k_known = {"mac",     "ports",   "name",        "uuid",     "arch",
                                                      "cpu",     "memory",  "disk",        "platform", "capabilities",
                                                      "profile", "pm_type", "root_device", "_comment", "x_seed"};
constexpr std::array<std::string_view, 4> k_plain = {"kernel_id", "ramdisk_id", "traits", "extra"};

bool is_one_of(std::string_view key, const auto& list) {
  return std::find(list.begin(), list.end(), key) != list.end();
}

/// Unreserved characters of RFC 3986, and no UUID: a name stands in URLs where a UUID may stand, too.
bool good_name(const std::string& name) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
  };
  return !name.empty() && name.size() <= 255 && std::all_of(name.begin(), name.end(), fits) && !parse_uuid(name);
}

/// BB:BB:BB:BB:BB:BB, as guides write it. It may even be a group's address, which no card has.
bool is_stand_in(const pxe::Mac& mac) {
  const std::uint8_t first = mac.bytes[0];
  return first != 0 && first != 0xff &&
         std::all_of(mac.bytes.begin(), mac.bytes.end(), [&](std::uint8_t b) { return b == first; });
}

std::string shown(const Json& value) { return value.is_string() ? value.get<std::string>() : format_json(value); }

/// Of keys whose values EntryCheck looks at.
Json shapes_of_keys() {
  const Json address = {{"type", "string"}};
  const Json number = {{"anyOf",
                        {{{"type", "integer"}, {"minimum", 1}},
                         {{"type", "string"}, {"pattern", "^\\s*[0-9]*[1-9][0-9]*\\s*$"}},
                         {{"type", "null"}}}}};
  Json shapes = {
      {"mac", {{"anyOf", {address, {{"type", "array"}, {"items", address}}}}}},
      {"ports",
       {{"type", "array"},
        {"items", {{"type", "object"}, {"required", {"address"}}, {"properties", {{"address", address}}}}}}},
      {"name", {{"type", {"string", "number", "boolean", "null"}}, {"pattern", "^[A-Za-z0-9._~-]{1,255}$"}}},
      {"uuid", {{"type", "string"}, {"pattern", "^[0-9A-Fa-f-]{32,36}$"}}},
      {"capabilities",
       {{"type", {"object", "string", "null"}}, {"pattern", "^\\s*([^,:]*:[^,]*)?(,\\s*([^,:]*:[^,]*)?)*$"}}}};
  for (const char* key : {"cpu", "memory", "disk"}) shapes[key] = number;
  shapes["root_device"] = {{"type", "object"}, {"propertyNames", {{"enum", root_hint_names()}}}};
  shapes["x_seed"] = {{"type", "object"}};
  return shapes;
}

}  // namespace

bool is_node_field(std::string_view key) {
  const bool is_interface = key.size() > 10 && key.substr(key.size() - 10) == "_interface";
  if (!is_interface && key != "resource_class" && key != "conductor_group" && key != "description" && key != "owner") {
    return false;
  }
  const auto& fields = free_fields();
  return std::any_of(fields.begin(), fields.end(), [&](const FreeField& field) { return field.name == key; });
}

bool is_entry_field(std::string_view key) {
  if (is_one_of(key, k_known) || is_one_of(key, k_plain) || is_node_field(key)) return true;
  if (key.starts_with("properties.") || key.starts_with("manual_")) return true;
  return std::any_of(driver_table().begin(), driver_table().end(), [&](const DriverRow& row) {
    return (!row.prefix.empty() && key.starts_with(cat(row.prefix, "_"))) ||
           (key.starts_with("pm_") && driver_key(row, std::string(key)));
  });
}

std::string meant_entry_field(const std::string& key) {
  std::vector<std::string> names(k_known.begin(), k_known.end());
  names.insert(names.end(), k_plain.begin(), k_plain.end());
  names.insert(names.end(), {"pm_addr", "pm_user", "pm_password", "pm_port", "pm_system_id"});
  return nearest(key, names).value_or("");
}

std::string inventory_schema() {
  Json keys = Json::object();
  for (const std::string_view key : k_known) keys[std::string(key)] = Json::object();
  for (const std::string_view key : k_plain) keys[std::string(key)] = Json::object();
  for (const FreeField& field : free_fields()) {
    if (is_node_field(field.name)) keys[std::string(field.name)] = Json::object();
  }
  std::vector<std::string> types;
  Json families = {{"^(pm|manual)_", Json::object()}, {"^properties\\.", Json::object()}};
  for (const DriverRow& row : driver_table()) {
    types.insert(types.end(), row.types.begin(), row.types.end());
    if (!row.prefix.empty()) families[cat("^", row.prefix, "_")] = Json::object();
  }
  keys.update(shapes_of_keys());
  keys["pm_type"] = {{"enum", types}, {"description", "the driver"}};
  const Json own = {{"type", "object"},
                    {"required", {"pm_type"}},
                    {"properties", std::move(keys)},
                    {"patternProperties", std::move(families)},
                    {"additionalProperties", false}};
  const Json ironic = {{"type", "object"}, {"required", {"driver"}}, {"not", {{"required", {"pm_type"}}}}};
  const Json machines = {{"type", "array"},
                         {"items", {{"if", {{"required", {"driver"}}}}, {"then", ironic}, {"else", own}}}};
  const Json listed = {{"type", "object"}, {"required", {"nodes"}}, {"properties", {{"nodes", machines}}}};
  const Json named = {{"type", "object"}, {"additionalProperties", ironic}};
  return json_document({{"$schema", "http://json-schema.org/draft-07/schema#"},
                        {"title", "An inventory of machines: instackenv.json and its like"},
                        {"if", {{"type", "array"}}},
                        {"then", machines},
                        {"else", {{"if", {{"required", {"nodes"}}}}, {"then", listed}, {"else", named}}}});
}

std::optional<std::int64_t> whole_number(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return std::nullopt;
  const std::optional<std::uint64_t> number = parse_number(trim(value.get<std::string>()));
  return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

void EntryCheck::fault(const std::string& path, std::string text) {
  faults_.push_back({index_, std::move(text), entry_.place(path)});
}

void EntryCheck::warning(const std::string& path, const std::string& text) {
  warnings_.push_back({index_, entry_.place(path).line, text_in(entry_.data, "name"), text});
}

void EntryCheck::all() {
  if (!entry_.data.is_object()) {
    fault("", "is no object");
    return;
  }
  for (const auto& [path, text] : entry_.faults) fault(path, text);
  for (const auto& [path, text] : entry_.warnings) warning(path, text);
  check_driver();
  check_name_and_uuid();
  check_numbers();
  check_capabilities();
  check_shapes();
  check_macs();
  for (const auto& [key, value] : entry_.data.items()) {
    if (key != "_comment") check_masks(value, key, key);
  }
}

void EntryCheck::check_driver() {
  const std::string type = text_in(entry_.data, "pm_type");
  if (type.empty()) {
    const bool is_told = std::any_of(entry_.faults.begin(), entry_.faults.end(), [](const auto& told) {
      return told.first == "power_type" || told.first == "bmc" || told.first == "spec.bmc.address";  // its form's words
    });
    if (!is_told) fault("pm_type", "pm_type (ironic driver to use) is required");
    return;
  }
  const DriverRow* row = driver_of(type);
  if (row == nullptr) {
    std::vector<std::string> types, drivers;
    for (const DriverRow& known : driver_table()) {
      types.insert(types.end(), known.types.begin(), known.types.end());
      if (known.supported) drivers.emplace_back(known.driver);
    }
    const std::optional<std::string> near = nearest(to_lower(type), types);
    fault("pm_type", cat("unknown pm_type (ironic driver to use): ", type,
                         near ? cat(" (do you mean ", *near, "?)") : cat(" (there are ", join(drivers, ", "), ")")));
    return;
  }
  check_mandatory(*row);
  check_known_keys(*row);
  check_address(*row);
}

void EntryCheck::check_mandatory(const DriverRow& row) {
  const bool in_drivers_words = entry_.places.contains("driver");  // Ironic's form or bifrost's: they know no pm_
  std::vector<std::string> missing;
  for (const std::string_view key : row.mandatory) {
    const std::string own = driver_key(row, key).value_or("");
    if (!text_in(entry_.data, key).empty() || !text_in(entry_.data, own).empty()) continue;
    std::string lacking = in_drivers_words && !own.empty() ? own : std::string(key);
    for (const auto& [written, value] : entry_.data.items()) {
      if (!own.empty() && written.starts_with(cat(row.prefix, "_")) && meant_driver_key(row.driver, written) == own)
        lacking += cat(" (is it meant by ", written, "?)");
    }
    missing.push_back(std::move(lacking));
  }
  const bool has_mac = entry_.data.contains("mac") || entry_.data.contains("ports");
  if (row.identity == DriverRow::Identity::none && !has_mac) missing.emplace_back("mac");
  if (!missing.empty() && may_lack_bmc())
    warning("pm_type", cat("it is enrolled only, and can't be managed yet: there is no ", join(missing, ", ")));
  else if (!missing.empty())
    fault("pm_type", cat("The following fields are missing: ", join(missing, ", ")));
  if (!has_mac && missing.empty())
    warning("pm_type", "no MAC address: whatever boots from the network is not known to be this machine");
}

/// An address in four parts that is none: a digit too many, which no BMC ever answers.
void EntryCheck::check_address(const DriverRow& row) {
  for (const std::string& key : {std::string("pm_addr"), driver_key(row, "pm_addr").value_or("")}) {
    const std::string written = key.empty() ? "" : text_in(entry_.data, key);
    std::string_view host = written;
    if (const std::size_t scheme = host.find("://"); scheme != std::string_view::npos) host.remove_prefix(scheme + 3);
    host = host.substr(0, host.find_first_of(":/"));
    const bool dotted = std::count(host.begin(), host.end(), '.') == 3 &&
                        host.find_first_not_of("0123456789.") == std::string_view::npos;
    const std::string_view behind = std::string_view(written).substr(std::min(written.find('/'), written.size()));
    if (dotted && behind.size() > 1 && behind.find_first_not_of("/0123456789") == std::string_view::npos) {
      fault(key, cat(key, " ", written, ": an address without its network's length (", behind, ") is expected"));
      continue;
    }
    if (dotted && !pxe::parse_ipv4(host)) fault(key, cat(key, " ", written, " is no address: four numbers up to 255"));
    const bool is_address = driver_key(row, "pm_addr").value_or("").ends_with("_address") && !written.empty();
    const std::string wrong = is_address && !(dotted && !pxe::parse_ipv4(host)) ? bmc_address_fault(written) : "";
    if (!wrong.empty()) fault(key, cat(key, " ", written, wrong));
    if (row.driver == "ipmi" && dotted && written.ends_with(host) == false && written.find("://") == std::string::npos)
      fault(key, cat(key, " ", written, ": an address alone is expected; its port is pm_port (a site file: bmc.port)"));
  }
}

void EntryCheck::check_known_keys(const DriverRow& row) {
  for (const auto& [key, value] : entry_.data.items()) {
    const bool own = !row.prefix.empty() && key.rfind(cat(row.prefix, "_"), 0) == 0;
    const bool manual = row.prefix.empty() && key.rfind("manual_", 0) == 0;
    const bool pm = key.rfind("pm_", 0) == 0 && (driver_key(row, key) || !row.supported);
    // People keep user and password of a machine that is switched by hand; they harm nobody.
    const bool idle = row.prefix.empty() && (key == "pm_addr" || key == "pm_user" || key == "pm_password");
    const bool known =
        is_one_of(key, k_known) || is_one_of(key, k_plain) || is_node_field(key) || key.rfind("properties.", 0) == 0;
    if (!known && !own && !manual && !pm && !idle) unknown_key(row, key);
    const std::string meant = own ? meant_driver_key(row.driver, key) : "";
    if (meant.empty()) continue;
    std::string text = cat("the driver ", row.driver, " reads no ", key, "; did you mean ", meant, "?");
    if (names_secret(meant))  // under a name that hides nothing, everybody would be shown it
      fault(key, std::move(text));
    else
      warning(key, text);
  }
}

void EntryCheck::unknown_key(const DriverRow& row, const std::string& key) {
  if (const auto heading = entry_.headings.find(key); heading != entry_.headings.end()) {
    const Heading& column = heading->second;
    faults_.push_back({Fault::k_no_node,
                       cat("these headings were taken for ", column.form,
                           "'s; a table of your own has pm_type, pm_addr, "
                           "pm_user, pm_password, mac, name, and rack and slot (hearth help inventories)"),
                       {column.at.line, 1}});
    faults_.push_back({Fault::k_no_node, cat("Unknown heading \"", column.text, "\"", meant_field(key)), column.at});
    return;
  }
  const DriverRow* other = driver_of(key.substr(0, key.find('_')));
  const bool others = other != nullptr && !other->prefix.empty() && key.starts_with(cat(other->prefix, "_"));
  fault(key, cat("Unknown field ", key,
                 others ? cat(" (the driver ", other->driver, " has it; this machine's is ", row.driver, ")")
                        : meant_field(key)));
}

/// " (do you mean …?)", of the form's fields or ours.
std::string EntryCheck::meant_field(const std::string& key) const {
  std::optional<std::string> near =
      entry_.known.empty() ? std::optional(meant_entry_field(key)) : nearest(key, entry_.known);
  if (near && near->empty() && entry_.places.contains("driver")) near = nearest(key, {"driver_info", "properties"});
  return near && !near->empty() && *near != key ? cat(" (do you mean ", *near, "?)") : "";
}

void EntryCheck::check_name_and_uuid() {
  if (entry_.data.contains("name") && !entry_.data["name"].is_null()) {
    const std::string name = text_in(entry_.data, "name");
    if (!good_name(name)) {
      fault("name", cat("Name \"", shown(entry_.data["name"]), "\" is invalid: letters, digits, - . _ ~, and no UUID"));
    }
  }
  if (entry_.data.contains("uuid") && !parse_uuid(text_in(entry_.data, "uuid"))) {
    fault("uuid", cat("UUID ", shown(entry_.data["uuid"]), " is invalid"));
  }
}

void EntryCheck::check_numbers() {
  for (const char* key : {"cpu", "memory", "disk"}) {
    if (!entry_.data.contains(key) || entry_.data[key].is_null()) continue;
    const std::optional<std::int64_t> number = whole_number(entry_.data[key]);
    if (!number || *number <= 0) {
      fault(key, cat(key, " must be a positive whole number, not ", shown(entry_.data[key])));
    }
  }
}

void EntryCheck::check_capabilities() {
  if (!entry_.data.contains("capabilities")) return;
  const Json& given = entry_.data["capabilities"];
  const auto doubt = [&](const std::string& key, const std::string& value) {
    if (const std::string told = capability_doubt(key, value); !told.empty()) warning("capabilities", told);
  };
  const Json listed = given.is_object() ? given : Json::object();
  for (const auto& [key, value] : listed.items()) doubt(key, text_of(value));
  if (given.is_object() || given.is_null()) return;
  if (!given.is_string()) return fault("capabilities", cat("Invalid capabilities: ", shown(given)));
  for (const std::string& item : split(given.get<std::string>(), ',')) {
    if (!trim(item).empty() && item.find(':') == std::string::npos) {
      const std::string meant = item.find('=') == std::string::npos ? "" : replace_all(shown(given), "=", ":");
      fault("capabilities",
            cat("Invalid capabilities: ", shown(given), meant.empty() ? "" : cat(" (do you mean ", meant, "?)")));
      return;
    }
  }
  for (const auto& [key, value] : parse_capabilities(given.get<std::string>())) doubt(key, value);
}

void EntryCheck::check_shapes() {
  if (entry_.data.contains("root_device") && !entry_.data["root_device"].is_object()) {
    fault("root_device", cat("Invalid root device: expected dict, got ", shown(entry_.data["root_device"])));
  } else if (entry_.data.contains("root_device")) {
    for (const auto& [key, text] : root_hint_faults(entry_.data["root_device"]))
      fault(cat("root_device.", key), cat("root_device.", key, " ", text));
  }
  if (entry_.data.contains("x_seed") && !entry_.data["x_seed"].is_object()) {
    fault("x_seed", cat("x_seed must be an object, not ", shown(entry_.data["x_seed"])));
  }
  if (entry_.data.contains("platform") && text_in(entry_.data, "arch").empty()) {
    fault("platform", "You have specified a platform without an architecture");
  }
}

/// An import would put the mask in the place of the secret.
void EntryCheck::check_masks(const Json& value, const std::string& path, const std::string& key) {
  if (value.is_string() && is_mask(key, value.get_ref<const std::string&>())) {
    fault(path, cat(path,
                    " has ****** where a secret was: leave the line out, and what the database has stays; or put "
                    "the secret there (hearth node export --secrets has it)"));
  }
  if (!value.is_structured()) return;
  std::size_t index = 0;
  for (const auto& [name, member] : value.items()) {
    if (value.is_object())
      check_masks(member, cat(path, ".", name), name);
    else
      check_masks(member, cat(path, "[", index++, "]"), "");
  }
}

void EntryCheck::check_mac(const Json& value, const std::string& path) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const std::optional<pxe::Mac> mac = pxe::parse_mac(trim(text));
  const bool stand_in = mac && is_stand_in(*mac);
  if (stand_in) {
    warning(path, cat("MAC ", pxe::to_text(*mac), " looks like a stand-in; no machine will be found by it"));
  }
  if (mac && (pxe::is_unicast(*mac) || stand_in)) {
    const std::string address = pxe::to_text(*mac);
    const bool twice = std::any_of(macs_.begin(), macs_.end(), [&](const auto& seen) { return seen.first == address; });
    if (twice) fault(path, cat("MAC ", address, " is not unique"));
    macs_.emplace_back(address, entry_.place(path));
    return;
  }
  std::string text_of_fault = cat("MAC address ", shown(value), " is invalid");
  if (value.is_number()) {
    text_of_fault += ": a program has read an address without quotes as a number of base 60; put it in quotes";
  } else if (mac) {
    text_of_fault += ": no single card has this address";
  }
  fault(path, text_of_fault);
}

void EntryCheck::check_macs() {
  const Json& data = entry_.data;
  if (data.contains("mac")) {
    if (!data["mac"].is_array()) {
      check_mac(data["mac"], "mac");
    } else {
      for (std::size_t i = 0; i < data["mac"].size(); ++i) check_mac(data["mac"][i], cat("mac[", i, "]"));
    }
  }
  if (!data.contains("ports")) return;
  if (!data["ports"].is_array()) {
    fault("ports", cat("ports must be a list, not ", shown(data["ports"])));
    return;
  }
  for (std::size_t i = 0; i < data["ports"].size(); ++i) {
    const Json& port = data["ports"][i];
    const std::string path = cat("ports[", i, "]");
    if (!port.is_object() || !port.contains("address")) {
      fault(path, cat("a port needs an address: ", shown(port)));
      continue;
    }
    check_mac(port["address"], path + ".address");
  }
}

}  // namespace hearth::bootstrap
