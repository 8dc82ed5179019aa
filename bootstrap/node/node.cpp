#include "bootstrap/node/node.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <ctime>

#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr Stamp k_second = 1'000'000;

std::string two(int number) { return cat(number < 10 ? "0" : "", number); }

}  // namespace

Json stamp_json(Stamp stamp) {
  if (stamp == 0) return nullptr;
  const std::time_t seconds = stamp / k_second;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::string fraction = std::to_string(stamp % k_second);
  fraction.insert(0, 6 - fraction.size(), '0');
  return cat(parts.tm_year + 1900, "-", two(parts.tm_mon + 1), "-", two(parts.tm_mday), "T", two(parts.tm_hour), ":",
             two(parts.tm_min), ":", two(parts.tm_sec), ".", fraction, "+00:00");
}

Stamp parse_stamp(std::string_view text) {
  std::tm parts{};
  long fraction = 0;
  const std::string whole(text);
  const int read = std::sscanf(whole.c_str(), "%d-%d-%dT%d:%d:%d.%ld", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                               &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &fraction);
  if (read < 6) return 0;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return static_cast<Stamp>(timegm(&parts)) * k_second + (read == 7 ? fraction : 0);
}

Json power_json(Power power) {
  if (power == Power::unknown) return nullptr;
  return power == Power::on ? "power on" : "power off";
}

Port new_port(std::string address, Stamp now) {
  Port port;
  port.uuid = random_uuid();
  port.address = std::move(address);
  port.created = now;
  return port;
}

const Port* Node::port(std::string_view address) const {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.address == address; });
  return found == ports.end() ? nullptr : &*found;
}

std::string Node::info(std::string_view key, std::string fallback) const {
  return text_in(driver_info, key, std::move(fallback));
}

std::optional<std::string> Node::capability(std::string_view key) const {
  for (const auto& [have, value] : parse_capabilities(text_in(properties, "capabilities"))) {
    if (have == key) return value;
  }
  return std::nullopt;
}

void Node::set_capability(std::string_view key, std::string_view value) {
  auto items = parse_capabilities(text_in(properties, "capabilities"));
  const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.first == key; });
  if (found == items.end()) {
    items.emplace_back(key, value);
  } else {
    found->second = value;
  }
  properties["capabilities"] = capabilities_text(items);
}

std::string Node::boot_mode() const {
  const Json chosen = instance_info.contains("capabilities") ? instance_info["capabilities"] : Json();
  if (chosen.is_object() && chosen.contains("boot_mode")) return text_of(chosen["boot_mode"]);
  const std::string told = text_in(internal.value("firmware", Json::object()), "boot_mode");  // by its BMC
  return capability("boot_mode").value_or(told);
}

bool is_to_be_switched(const Node& node) {
  return !node.instruction.action.empty() || !node.target_power.empty() || node.internal.contains(k_power_off_wanted);
}

bool speaks_redfish(std::string_view driver) {
  constexpr std::array<std::string_view, 5> k_drivers = {"redfish", "idrac", "ilo", "irmc", "xclarity"};
  return std::find(k_drivers.begin(), k_drivers.end(), driver) != k_drivers.end();
}

std::string step_interface(const Node& node, std::string_view interface) {
  const std::string none = cat("no-", interface);
  if (!speaks_redfish(node.driver)) return none;
  return text_in(node.fields, cat(interface, "_interface")) == none ? none : "redfish";
}

const std::vector<FreeField>& free_fields() {
  static const std::vector<FreeField> fields = {{"automated_clean", "null"},
                                                {"chassis_uuid", "null"},
                                                {"conductor_group", "\"\""},
                                                {"description", "null"},
                                                {"lessee", "null"},
                                                {"owner", "null"},
                                                {"parent_node", "null"},
                                                {"network_data", "{}"},
                                                {"protected", "false"},
                                                {"protected_reason", "null"},
                                                {"retired", "false"},
                                                {"retired_reason", "null"},
                                                {"resource_class", "null"},
                                                {"bios_interface", "null"},
                                                {"boot_interface", "\"ipxe\""},
                                                {"console_interface", "\"no-console\""},
                                                {"deploy_interface", "\"direct\""},
                                                {"firmware_interface", "null"},
                                                {"inspect_interface", "\"agent\""},
                                                {"management_interface", "null"},
                                                {"network_interface", "\"noop\""},
                                                {"power_interface", "null"},
                                                {"raid_interface", "null"},
                                                {"rescue_interface", "\"agent\""},
                                                {"storage_interface", "\"noop\""},
                                                {"vendor_interface", "\"no-vendor\""}};
  return fields;
}

std::string given_to(const Node& node) { return text_in(node.internal, k_given_to); }

std::string text_of(const Json& value, std::string fallback) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return format_json(value);
  return fallback;
}

std::string text_in(const Json& object, std::string_view key, std::string fallback) {
  if (!object.is_object()) return fallback;
  const auto found = object.find(std::string(key));
  return found == object.end() ? fallback : text_of(*found, std::move(fallback));
}

std::vector<std::pair<std::string, std::string>> parse_capabilities(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> items;
  for (const std::string& part : split(text, ',')) {
    const std::string_view item = trim(part);
    const std::size_t colon = item.find(':');
    if (colon != std::string_view::npos) {
      items.emplace_back(trim(item.substr(0, colon)), trim(item.substr(colon + 1)));
    }
  }
  return items;
}

std::string capabilities_text(const std::vector<std::pair<std::string, std::string>>& items) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : items) parts.push_back(cat(key, ":", value));
  return join(parts, ",");
}

std::string rack_place(const Json& told) {
  const Json& seed = object_member(told, "x_seed");
  std::vector<std::string> parts;
  for (const char* key : {"location", "rack", "slot"}) {
    const Json& value = member_or_null(seed, key);
    const std::string text = value.is_null() || value.is_structured() ? "" : text_of(value);
    if (!text.empty()) parts.push_back(cat(key, " ", text));
    if (text.empty() && std::string_view(key) != "location") return "";
  }
  return join(parts, ", ");
}

}  // namespace hearth::bootstrap
