#include "bootstrap/site/site_draft.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/inventory/site_form.hpp"
#include "bootstrap/node/node.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

/// As YAML reads it as text: in quotes unless it is beyond doubt.
std::string yaml_word(const std::string& text) {
  const auto all_of = [&](auto fits) {
    return std::all_of(text.begin(), text.end(), [&](char c) { return fits(static_cast<unsigned char>(c)); });
  };
  const bool address = std::count(text.begin(), text.end(), '.') >= 3 &&
                       all_of([](unsigned char c) { return std::isdigit(c) != 0 || c == '.' || c == '/' || c == '-'; });
  static constexpr std::array<std::string_view, 9> k_words = {"true", "false", "yes", "no", "on",
                                                              "off",  "null",  "y",   "n"};
  const bool word =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '/' || text[0] == '.') &&
      all_of([](unsigned char c) { return std::isalnum(c) != 0 || c == '/' || c == '.' || c == '_' || c == '-'; }) &&
      std::find(k_words.begin(), k_words.end(), to_lower(text)) == k_words.end();
  return address || (word && text.find_first_not_of('.') != std::string::npos) ? text : format_json(text);
}

std::string yaml_value(const Json& value) {
  if (value.is_string()) return yaml_word(value.get<std::string>());
  std::vector<std::string> parts;
  if (value.is_array()) {
    for (const Json& item : value) parts.push_back(yaml_value(item));
    return cat("[", join(parts, ", "), "]");
  }
  if (!value.is_object()) return format_json(value);
  for (const auto& [key, item] : value.items()) parts.push_back(cat(yaml_word(key), ": ", yaml_value(item)));
  return cat("{", join(parts, ", "), "}");
}

/// "  key: value", or what it would be as a comment where there is none.
std::string yaml_line(const std::string& key, const Json& value, const std::string& example = "") {
  const bool none = value.is_null() || (value.is_string() && value.get<std::string>().empty()) ||
                    (value.is_structured() && value.empty());
  if (!none) return cat("  ", key, ": ", yaml_value(value), "\n");
  return example.empty() ? "" : cat("  # ", key, ": ", example, "\n");
}

std::string machine_text(const Json& machine) {
  std::string text;
  for (const auto& [key, value] : machine.items())
    text += cat(text.empty() ? "  - " : "    ", key, ": ", yaml_value(value), "\n");
  return text;
}

/// pm_* keys as a site file has them.
std::string bmc_key(const std::string& key) {
  static const std::map<std::string, std::string> names = {{"pm_type", "type"}, {"pm_addr", "address"},
                                                           {"pm_user", "user"}, {"pm_password", "password"},
                                                           {"pm_port", "port"}, {"pm_system_id", "system"}};
  const auto known = names.find(key);
  return known == names.end() ? key : known->second;
}

bool is_of_bmc(const std::string& key) {
  return key.starts_with("pm_") || key.starts_with("manual_") ||
         std::any_of(driver_table().begin(), driver_table().end(), [&](const DriverRow& row) {
           return !row.prefix.empty() && key.starts_with(cat(row.prefix, "_"));
         });
}

/// What is left out of a machine, by its own words: "extra.role", not "extra".
std::vector<std::string> words_of(const std::string& key, const Json& value) {
  std::vector<std::string> words;
  if (value.is_object()) {
    for (const auto& [member, each] : value.items()) words.push_back(cat(key, ".", member));
  }
  return words.empty() ? std::vector{key} : words;
}

}  // namespace

std::string usual_seed(const std::string& text) {
  const std::optional<pxe::Subnet> subnet = pxe::parse_subnet(text);
  return subnet ? pxe::to_text(pxe::Ipv4{subnet->network.value + 1}) : "";
}

std::string usual_pool(const std::string& text) {
  const std::optional<pxe::Subnet> subnet = pxe::parse_subnet(text);
  if (!subnet) return "";
  const std::uint32_t first = subnet->network.value;
  const std::uint32_t size = subnet->broadcast().value - first;
  const auto range = [](std::uint32_t from, std::uint32_t to) {
    return cat(pxe::to_text(pxe::Ipv4{from}), "-", pxe::to_text(pxe::Ipv4{to}));
  };
  if (size < 3) return "";                                           // no room beside the seed
  const std::uint32_t from = std::max(first + 2, first + size / 2);  // the first is the seed's
  return size >= 255 ? range(first + 100, first + 199) : range(from, std::max(from, first + size - 2));
}

std::string site_text(const SiteDraft& draft) {
  std::string text =
      "# A site: its provisioning network, its machines with their BMCs, what they become. Paths are relative\n"
      "# to this file; passwords are in it. All keys: bootstrap/README.md. hearth site check tells what is wrong.\n";
  text += "network:\n";
  text += yaml_line("subnet", draft.subnet);
  text += yaml_line("seed", draft.seed);
  text += yaml_line("pool", draft.pool);
  text += yaml_line("router", draft.router, "ADDRESS");
  text += yaml_line("dns", draft.dns, "[ADDRESS]");
  text += yaml_line("ntp", draft.ntp, "[ADDRESS]");
  text +=
      yaml_line("interface", draft.interface, "eth1          # the seed's card in this network: for hearth node serve");
  text += cat("\nseed:                 # for a seed that is a virtual machine: hearth seed create\n",
              yaml_line("image", draft.seed_image));
  text += cat("\ndeploy:               # what machines boot that are to be deployed\n",
              yaml_line("kernel", draft.kernel), yaml_line("ramdisk", draft.ramdisk));
  text += cat("\nimage: ", yaml_word(draft.image), "   # what they get on their disks\n");
  if (!draft.bmc.empty()) {
    text += "\nbmc:                  # what holds for all machines that say nothing else\n";
    for (const auto& [key, value] : draft.bmc.items()) text += yaml_line(key, value);
  }
  text += draft.machines.empty()
              ? "\nmachines: []          # {name, mac, firmware, profile, address, bmc: {type, address, …}}\n"
              : "\nmachines:             # keys of bmc: hearth node drivers; firmware: uefi or bios, else as the BMC "
                "has it\n";
  for (const Json& machine : draft.machines) text += machine_text(machine);
  text += draft.template_file.empty()
              ? "\n# stack:               # what the machines are to become\n#   template: site-stack.yaml\n"
              : cat("\nstack:\n", yaml_line("template", draft.template_file));
  return text;
}

Json site_machine(const ListingEntry& entry, LeftOut& left_out) {
  const Json& data = entry.data;
  Json machine = Json::object();
  Json bmc = Json::object();
  machine["name"] = text_in(data, "name");
  const std::string name = machine["name"] != "" ? text_in(data, "name") : cat("the one of line ", entry.at.line);
  if (data.contains("mac")) {
    const bool single = data["mac"].is_array() && data["mac"].size() == 1;
    machine["mac"] = single ? data["mac"][0] : data["mac"];
  }
  std::string profile = text_in(data, "profile");
  for (const auto& [key, value] : parse_capabilities(text_member(data, "capabilities"))) {
    if (key == "boot_mode") machine["firmware"] = value;
    if (key == "profile" && profile.empty()) profile = value;
    if (key != "boot_mode" && key != "profile" && key != "boot_option")
      left_out[cat("capabilities ", key, ":", value)].push_back(name);
  }
  if (!profile.empty()) machine["profile"] = profile;
  static constexpr std::array<std::string_view, 11> k_done = {
      "name", "mac", "profile", "capabilities", "arch", "cpu", "memory", "disk", "x_seed", "root_device", "_comment"};
  for (const auto& [key, value] : data.items()) {
    if (is_of_bmc(key)) {
      bmc[bmc_key(key)] = value;
    } else if (std::find(k_done.begin(), k_done.end(), key) == k_done.end()) {
      for (const std::string& word : words_of(key, value)) left_out[word].push_back(name);
    }
  }
  if (!bmc.empty()) machine["bmc"] = bmc;
  if (data.contains("root_device")) machine["root_device"] = data["root_device"];
  if (data.contains("x_seed") && data["x_seed"].is_object()) {
    Json seed = data["x_seed"];
    if (seed.contains("ipv4_address")) machine["address"] = seed["ipv4_address"];
    seed.erase("ipv4_address");
    if (!seed.empty()) machine["x_seed"] = seed;
  }
  return machine;
}

std::vector<std::string> left_out_lines(const LeftOut& left_out) {
  constexpr std::size_t k_named = 3;
  std::vector<std::string> lines;
  for (const auto& [word, names] : left_out) {
    const std::string_view whole = word;
    const std::string option = whole.starts_with("extra.")          ? cat(" --extra ", whole.substr(6), "=…")
                               : whole.starts_with("capabilities ") ? cat(" --capability ", whole.substr(13))
                               : whole == "traits"                  ? std::string(" --trait …")
                                                                    : std::string();
    lines.push_back(cat("a site file has no word for ", word, " (", join_first(names, k_named),
                        "); once they are imported: hearth node set", option, " NODE…"));
  }
  return lines;
}

std::string bmc_fault(const std::string& key, const std::string& value) {
  std::vector<std::string> known = {"type", "address", "user", "password", "port", "system"};
  for (const char* of_inventories :
       {"pm_addr", "pm_address", "pm_user", "pm_password", "pm_port", "pm_system_id", "pm_type", "pm_vm_name"})
    known.emplace_back(of_inventories);
  for (const DriverKey& common : common_driver_keys()) known.push_back(common.name);
  for (const DriverSheet& sheet : driver_sheets()) {
    for (const DriverKey& own : sheet.keys) known.push_back(own.name);
  }
  const auto did_you_mean = [](const std::string& word, const std::vector<std::string>& words) {
    const std::optional<std::string> near = nearest(word, words);
    return near ? cat("; did you mean ", *near, "?") : "";
  };
  if (std::find(known.begin(), known.end(), key) == known.end()) {
    return cat("a BMC has no key '", key, "'", did_you_mean(key, known),
               " (type, address, user, password, port, system, and those of hearth node drivers)");
  }
  if (bmc_key(key) != "type" || driver_of(value) != nullptr) return "";
  std::vector<std::string> types;
  for (const DriverRow& row : driver_table()) {
    types.emplace_back(row.driver);
    types.insert(types.end(), row.types.begin(), row.types.end());
  }
  return cat("there is no type '", value, "' of BMC", did_you_mean(value, types), " (hearth node drivers lists them)");
}

std::vector<std::string> split_pairs(std::string_view text) {
  std::vector<std::string> pairs(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\')) {
      pairs.back() += text[++i];
    } else if (text[i] == ',') {
      pairs.emplace_back();
    } else {
      pairs.back() += text[i];
    }
  }
  return pairs;
}

Result<Json, std::string> parse_machine_words(const std::string& text) {
  Json machine = Json::object();
  for (const std::string& pair : split_pairs(text)) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) return cat("--machine: KEY=VALUE is expected", k_commas);
    const std::string key = pair.substr(0, equals);
    const std::string value = pair.substr(equals + 1);
    if (key.starts_with("bmc.")) {
      if (const std::string fault = bmc_fault(key.substr(4), value); !fault.empty()) return cat("--machine: ", fault);
      machine["bmc"][key.substr(4)] = value;
      continue;
    }
    const std::vector<std::string>& known = site_inventory_keys();
    const bool is_text = std::find(known.begin(), known.end(), key) != known.end() && key != "bmc" &&
                         key != "root_device" && key != "x_seed";
    if (is_text) {
      machine[key] = value;
      continue;
    }
    const std::optional<std::string> near = nearest(key, known);
    return cat("--machine: there is no key '", key, "'", near ? cat("; did you mean ", *near, "?") : "",
               " (name, mac, firmware, profile, address, bmc.type, bmc.address, bmc.user, bmc.password, bmc.system …)");
  }
  if (text_in(machine, "name").empty()) return std::string("--machine: name= is missing");
  return machine;
}

}  // namespace hearth::bootstrap
