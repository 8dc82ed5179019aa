#include "bootstrap/conductor/bmc_steps.hpp"

#include <algorithm>
#include <array>

#include "base/net/url.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/raid_config.hpp"

namespace hearth::bootstrap {

namespace {

/// A step of Ironic's redfish interfaces.
struct StepRow {
  const char* interface;
  const char* step;
  const char* kinds;
  const char* arguments;  ///< those that must be there have a "!" behind them
};

constexpr const char* k_raid_arguments = "create_root_volume create_nonroot_volumes delete_existing";

constexpr auto k_rows = std::to_array<StepRow>({
    {"bios", "apply_configuration", "clean deploy service", "settings!"},
    {"bios", "factory_reset", "clean deploy service", ""},
    {"raid", "create_configuration", "clean", k_raid_arguments},
    {"raid", "delete_configuration", "clean deploy service", ""},
    {"raid", "apply_configuration", "deploy service",
     "raid_config! create_root_volume create_nonroot_volumes delete_existing"},
    {"firmware", "update", "clean deploy service", "settings!"},
    {"management", "update_firmware", "clean service", "firmware_images!"},
});

Json row_json(const StepRow& row) {
  Json arguments = Json::object();
  for (std::string name : split_words(row.arguments)) {
    const bool required = name.back() == '!';
    if (required) name.pop_back();
    arguments[name] = {{"required", required}};
  }
  return {{"interface", row.interface}, {"step", row.step}, {"priority", 0}, {"argsinfo", arguments}, {"bmc", true}};
}

bool is_row(const StepRow& row, const Json& step) {
  return text_in(step, "interface") == row.interface && text_in(step, "step") == row.step;
}

bool has_interface(const Node& node, const std::string& interface) {
  return step_interface(node, interface == "management" ? "firmware" : interface) == "redfish";
}

std::string bios_fault(const std::string& kind, const Json& step) {
  for (const Json& row : list_member(object_member(step, "args"), "settings")) {
    if (text_in(row, "name").empty() || !row.contains("value") || row["value"].is_structured())
      return cat(kind, " step ", format_json(step), ": settings is a list of {name, value}");
  }
  return list_member(object_member(step, "args"), "settings").empty()
             ? cat(kind, " step ", format_json(step), ": settings is a list of {name, value}")
             : "";
}

std::string raid_fault(const Node& node, const Json& step) {
  if (text_in(step, "step") == "delete_configuration") return "";
  const Json& arguments = object_member(step, "args");
  for (const std::string& name : split_words(k_raid_arguments)) {
    if (arguments.contains(name) && !arguments[name].is_boolean())
      return cat("raid step ", text_in(step, "step"), ": ", name, " is true or false");
  }
  const bool own = text_in(step, "step") == "apply_configuration";
  const Json& config = own ? member_or_null(arguments, "raid_config") : node.target_raid_config;
  if (!own && config.empty()) return cat("Node ", node.uuid, " has no target RAID configuration.");
  if (std::string fault = raid_config_fault(config); !fault.empty()) return fault;
  const bool root = arguments.value("create_root_volume", true);
  const bool others = arguments.value("create_nonroot_volumes", true);
  if (!wanted_disks(config, root, others).empty()) return "";
  std::vector<std::string> without;
  if (!root) without.emplace_back("skipping root volume");
  if (!others) without.emplace_back("skipping non-root volumes");
  return cat("Node ", node.uuid, " has empty target RAID configuration after ", join(without, " and "), ".");
}

/// Its BMC fetches it: what is no plain address of the web would be something to it that nobody has looked at.
std::string url_fault(const std::string& text) {
  const Result<Url> url = parse_url(text);
  if (!url || (url->scheme != "http" && url->scheme != "https"))
    return cat("'", text, "' is no URL of http or https, by which a BMC fetches");
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 0x7f; });
  return plain ? "" : cat("'", text, "' has characters that a URL has not");
}

std::string image_fault(const Json& row, const char* must, const std::vector<std::string>& known) {
  if (!row.is_object()) return cat(python_text(row), " is not of type 'object'");
  for (const std::string& name : {std::string(must), std::string("url")}) {
    if (!row.contains(name)) return cat("'", name, "' is a required property");
    if (!row[name].is_string() || row[name].get<std::string>().empty()) return cat(name, " is to be a text");
  }
  for (const auto& [name, value] : row.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return cat("Additional properties are not allowed ('", name, "' was unexpected)");
  }
  if (row.contains("wait") && (!row["wait"].is_number_integer() || row["wait"] < 1 || row["wait"] > 86400))
    return "wait is a number of seconds from 1 to 86400";
  return url_fault(row["url"].get<std::string>());
}

bool is_component(const std::string& name) { return name == "bios" || name == "bmc" || name.starts_with("nic:"); }

std::string images_fault(const Json& step) {
  const bool update = text_in(step, "step") == "update";
  const Json& images = member_or_null(object_member(step, "args"), update ? "settings" : "firmware_images");
  std::string fault = images.is_array() && !images.empty() ? "" : cat(python_text(images), " is no list of images");
  for (const Json& row : images.is_array() ? images : Json::array()) {
    if (!fault.empty()) break;
    fault = update ? image_fault(row, "component", {"component", "url", "wait"})
                   : image_fault(row, "checksum", {"checksum", "url", "wait", "source"});
    if (fault.empty() && update && !is_component(row["component"].get<std::string>()))
      fault = cat("'", row["component"].get<std::string>(), "' is none of bios, bmc, nic:ID");
    if (fault.empty() && text_in(row, "source", "http") != "http")
      fault = cat("the source ", text_in(row, "source"), " is not supported: a BMC fetches by http or https");
  }
  return fault.empty() ? "" : cat("Invalid firmware update ", python_text(images), ". Errors: ", fault);
}

}  // namespace

Json bmc_steps(const Node& node, const std::string& kind) {
  Json steps = Json::array();
  for (const StepRow& row : k_rows) {
    const std::vector<std::string> kinds = split_words(row.kinds);
    const bool wanted = kind.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    if (wanted && has_interface(node, row.interface)) steps.push_back(row_json(row));
  }
  return steps;
}

bool is_bmc_step(const Node& node, const Json& step) {
  return std::any_of(k_rows.begin(), k_rows.end(),
                     [&](const StepRow& row) { return is_row(row, step) && has_interface(node, row.interface); });
}

std::string arguments_fault(const std::string& kind, const Json& step, const Json& known) {
  const Json info = known.value("argsinfo", Json());
  if (!info.is_object()) return "";  // it tells nothing of them, and checks them itself
  const Json arguments = step.value("args", Json::object());
  std::vector<std::string> unexpected;
  std::vector<std::string> missing;
  for (const auto& [name, value] : arguments.items()) {
    if (!info.contains(name)) unexpected.push_back(name);
  }
  for (const auto& [name, about] : info.items()) {
    if (about.is_object() && about.value("required", false) && !arguments.contains(name)) missing.push_back(name);
  }
  const std::string shown = format_json(step);
  std::vector<std::string> faults;
  if (!unexpected.empty())
    faults.push_back(cat(kind, " step ", shown, " has these unexpected arguments: ", join(unexpected, ", ")));
  if (!missing.empty())
    faults.push_back(cat(kind, " step ", shown, " is missing these required arguments: ", join(missing, ", ")));
  return join(faults, "; ");
}

std::string bmc_step_fault(const Node& node, const std::string& kind, const Json& step) {
  for (const StepRow& row : k_rows) {
    if (!is_row(row, step)) continue;
    const std::vector<std::string> kinds = split_words(row.kinds);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      return cat("node does not support this ", kind, " step: ", format_json(step));
    if (std::string fault = arguments_fault(kind, step, row_json(row)); !fault.empty()) return fault;
  }
  const std::string interface = text_in(step, "interface");
  if (interface == "raid") return raid_fault(node, step);
  if (interface != "bios") return images_fault(step);
  return text_in(step, "step") == "factory_reset" ? "" : bios_fault(kind, step);
}

}  // namespace hearth::bootstrap
