#include "bootstrap/inventory/foreign_forms.hpp"

#include <array>
#include <map>

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

/// Takes driver, driver_info and what properties hold, under instackenv's names.
void take_driver(ListingEntry& entry, Json& out) {
  const Json& data = entry.data;
  out["pm_type"] = data["driver"];
  if (data.contains("driver_info") && data["driver_info"].is_object()) {
    for (const auto& [key, value] : data["driver_info"].items()) {
      if (key == "deploy_kernel")
        out["kernel_id"] = value;
      else if (key == "deploy_ramdisk")
        out["ramdisk_id"] = value;
      else
        out[key] = value;
    }
  }
  static const std::map<std::string, std::string> names = {
      {"cpu_arch", "arch"}, {"cpus", "cpu"},       {"memory_mb", "memory"},          {"ram", "memory"},
      {"local_gb", "disk"}, {"disk_size", "disk"}, {"capabilities", "capabilities"}, {"root_device", "root_device"}};
  if (!data.contains("properties") || !data["properties"].is_object()) return;
  for (const auto& [key, value] : data["properties"].items()) {
    const auto known = names.find(key);
    out[known == names.end() ? cat("properties.", key) : known->second] = value;
    if (known != names.end()) entry.places[known->second] = entry.place(cat("properties.", key));
  }
}

/// Everything else that the two forms share with ours keeps its name.
void take_rest(const Json& data, Json& out) {
  for (const auto& [key, value] : data.items()) {
    if (key != "driver" && key != "driver_info" && key != "properties" && key != "nics") out[key] = value;
  }
}

/// One line of CSV; nothing when a quote stays open.
std::optional<std::vector<std::string>> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back().push_back(line[i++]);
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back().push_back(line[i]);
    }
  }
  if (quoted) return std::nullopt;
  return fields;
}

ParseError at_line(std::string_view source, std::size_t line, std::string what) {
  return {std::string(source), {static_cast<int>(line), 1}, std::move(what)};
}

struct EnrolWords {
  std::map<std::string, std::string> options;
  std::vector<std::string> operands;
};

EnrolWords enrol_words(std::string_view line) {
  EnrolWords words;
  const std::vector<std::string> all = split_words(line);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].rfind("--", 0) != 0) {
      words.operands.push_back(all[i]);
      continue;
    }
    const std::size_t equals = all[i].find('=');
    const std::string name = replace_all(all[i].substr(2, equals == std::string::npos ? equals : equals - 2), "-", "_");
    words.options[name] = equals != std::string::npos ? all[i].substr(equals + 1) : i + 1 < all.size() ? all[++i] : "";
  }
  return words;
}

}  // namespace

void from_ironic_form(ListingEntry& entry) {
  if (entry.data.contains("pm_type") || !entry.data.contains("driver")) return;
  Json out = Json::object();
  take_driver(entry, out);
  take_rest(entry.data, out);
  entry.data = std::move(out);
}

void from_bifrost_form(const std::string& name, ListingEntry& entry) {
  Json out = Json::object();
  take_driver(entry, out);
  take_rest(entry.data, out);
  if (!out.contains("name")) out["name"] = name;
  if (entry.data.contains("nics") && entry.data["nics"].is_array()) {
    Json macs = Json::array();
    for (const Json& nic : entry.data["nics"]) {
      entry.places[cat("mac[", macs.size(), "]")] = entry.place(cat("nics[", macs.size(), "].mac"));
      macs.push_back(nic.is_object() && nic.contains("mac") ? nic["mac"] : nic);
    }
    out["mac"] = macs;
  }
  Json seed = Json::object();
  for (const char* key :
       {"ipv4_address", "instance_info", "host_groups", "provisioning_ipv4_address", "addressing_mode",
        "ansible_ssh_host", "ipv4_gateway", "ipv4_subnet_mask", "ipv4_nameserver"}) {
    if (!out.contains(key)) continue;
    seed[key] = out[key];
    out.erase(key);
  }
  if (!seed.empty()) out["x_seed"] = seed;
  entry.data = std::move(out);
}

Result<std::vector<ListingEntry>> read_csv_listing(std::string_view text, std::string_view source) {
  static constexpr std::array<const char*, 4> keys = {"pm_type", "pm_addr", "pm_user", "pm_password"};
  std::vector<ListingEntry> entries;
  std::size_t number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    const std::optional<std::vector<std::string>> fields = csv_fields(trim(line));
    if (!fields) return at_line(source, number, "a quote is not closed");
    if (fields->size() != 5) {
      return at_line(source, number,
                     cat(fields->size(), " columns instead of 5: pm_type,pm_addr,pm_user,pm_password,mac"));
    }
    ListingEntry entry;
    entry.at = {static_cast<int>(number), 1};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!(*fields)[i].empty()) entry.data[keys.at(i)] = std::string(trim((*fields)[i]));
    }
    entry.data["mac"] = Json::array({std::string(trim((*fields)[4]))});
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<ListingEntry>> read_enrol_lines(std::string_view text, std::string_view source) {
  std::vector<ListingEntry> entries;
  std::size_t number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (trim(line).empty() || trim(line).front() == '#') continue;
    const EnrolWords words = enrol_words(line);
    const std::size_t count = words.operands.size();
    if (count < 5) return at_line(source, number, "expected HOST CPUS MEMORY_MB DISK_GB MAC");
    ListingEntry entry;
    entry.at = {static_cast<int>(number), 1};
    entry.data["cpu"] = words.operands[count - 4];
    entry.data["memory"] = words.operands[count - 3];
    entry.data["disk"] = words.operands[count - 2];
    entry.data["mac"] = Json::array({words.operands[count - 1]});
    for (const auto& [name, value] : words.options) {
      if (name == "pm_address")
        entry.data["pm_addr"] = value;
      else
        entry.data[name] = value;
    }
    entry.data["x_seed"] = {{"service_host", words.operands[count - 5]}};
    if (!entry.data.contains("pm_type")) entry.data["pm_type"] = entry.data.contains("pm_addr") ? "ipmi" : "fake_pxe";
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace hearth::bootstrap
