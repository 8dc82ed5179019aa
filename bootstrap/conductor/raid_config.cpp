#include "bootstrap/conductor/raid_config.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

enum class DiskForm { text, truth, count, size, drives };

struct DiskKey {
  const char* name;
  DiskForm form;
  const char* values;  ///< all that a text may be, in their order; nullptr = anything
  const char* meaning;
};

constexpr auto k_disk_keys = std::to_array<DiskKey>({
    {"raid_level", DiskForm::text, "JBOD 0 1 2 5 6 1+0 5+0 6+0",
     "RAID level for the logical disk. Valid values are 'JBOD', '0', '1', '2', '5', '6', '1+0', '5+0' and '6+0'. "
     "Required."},
    {"size_gb", DiskForm::size, nullptr,
     "Size in GiB (Integer) for the logical disk. Use 'MAX' as size_gb if this logical disk is supposed to use the "
     "rest "
     "of the space available. Required."},
    {"volume_name", DiskForm::text, nullptr,
     "Name of the volume to be created. If this is not specified, it will be auto-generated. Optional."},
    {"is_root_volume", DiskForm::truth, nullptr,
     "Specifies whether this disk is a root volume. By default, this is False. Optional."},
    {"share_physical_disks", DiskForm::truth, nullptr,
     "Specifies whether other logical disks can share physical disks with this logical disk. By default, this is "
     "False. "
     "Optional."},
    {"disk_type", DiskForm::text, "hdd ssd",
     "The type of disk preferred. Valid values are 'hdd' and 'ssd'. If this is not specified, disk type will not be a "
     "selection criterion for choosing backing physical disks. Optional."},
    {"interface_type", DiskForm::text, "sata scsi sas",
     "The interface type of disk. Valid values are 'sata', 'scsi' and 'sas'. If this is not specified, interface type "
     "will not be a selection criterion for choosing backing physical disks. Optional."},
    {"number_of_physical_disks", DiskForm::count, nullptr,
     "Number of physical disks to use for this logical disk. By default, the driver uses the minimum number of disks "
     "required for that RAID level. Optional."},
    {"controller", DiskForm::text, nullptr,
     "Controller to use for this logical disk. If not specified, the driver will choose a suitable RAID controller on "
     "the bare metal node. Optional."},
    {"physical_disks", DiskForm::drives, nullptr,
     "The physical disks to use for this logical disk. If not specified, the driver will choose suitable physical "
     "disks "
     "to use. Optional."},
});

/// As Python shows a value within another: 'x' for a text.
std::string repr_of(const Json& value) {
  if (!value.is_string()) return python_text(value);
  const std::string listed = python_text(Json::array({value}));
  return listed.substr(1, listed.size() - 2);
}

std::string wrong_type(const Json& value, const char* type) {
  return cat(repr_of(value), " is not of type '", type, "'");
}

std::string no_schema_fits(const Json& value) {
  return cat(repr_of(value), " is not valid under any of the given schemas");
}

bool all_are(const Json& list, Json::value_t type) {
  return std::all_of(list.begin(), list.end(), [&](const Json& one) { return one.type() == type; });
}

std::string text_fault(const DiskKey& key, const Json& value) {
  if (!value.is_string()) return wrong_type(value, "string");
  if (key.values == nullptr) return "";
  const Json allowed = split_words(key.values);
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return "";
  return cat(repr_of(value), " is not one of ", python_text(allowed));
}

std::string size_fault(const Json& value) {
  if (value.is_number_integer())
    return value < 0 ? cat(python_text(value), " is less than the minimum of 0") : std::string();
  if (!value.is_string()) return no_schema_fits(value);
  return value == "MAX" ? std::string() : cat(repr_of(value), " is not one of ['MAX']");
}

std::string count_fault(const Json& value) {
  if (!value.is_number_integer()) return wrong_type(value, "integer");
  return value <= 0 ? cat(python_text(value), " is less than or equal to the minimum of 0") : std::string();
}

/// Their ids. Ironic takes two hints (objects) or more besides, and its Redfish then makes nothing of them: neither do
/// we.
std::string drives_fault(const Json& value) {
  const bool good = value.is_array() && all_are(value, Json::value_t::string);
  if (good) return "";
  const bool hints = value.is_array() && value.size() > 1 && all_are(value, Json::value_t::object);
  return hints ? "physical_disks by hints are for software RAID: name the drives by their ids" : no_schema_fits(value);
}

std::string value_fault(const DiskKey& key, const Json& value) {
  switch (key.form) {
    case DiskForm::text: return text_fault(key, value);
    case DiskForm::truth: return value.is_boolean() ? std::string() : wrong_type(value, "boolean");
    case DiskForm::size: return size_fault(value);
    case DiskForm::count: return count_fault(value);
    case DiskForm::drives: return drives_fault(value);
  }
  return "";
}

std::string unexpected_keys(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(repr_of(name));
  return cat("Additional properties are not allowed (", join(shown, ", "), names.size() == 1 ? " was" : " were",
             " unexpected)");
}

/// Of one logical disk, but for the values of its keys.
std::string keys_fault(const Json& disk) {
  if (!disk.is_object()) return wrong_type(disk, "object");
  for (const char* needed : {"raid_level", "size_gb"}) {
    if (!disk.contains(needed)) return cat("'", needed, "' is a required property");
  }
  std::vector<std::string> unknown;
  for (const auto& [name, value] : disk.items()) {
    const bool known =
        std::any_of(k_disk_keys.begin(), k_disk_keys.end(), [&](const DiskKey& key) { return key.name == name; });
    if (!known) unknown.push_back(name);
  }
  if (!unknown.empty()) return unexpected_keys(unknown);
  const bool drives_alone = disk.contains("physical_disks") && !disk.contains("controller");
  return drives_alone ? "'controller' is a dependency of 'physical_disks'" : "";
}

std::string values_fault(const Json& disk) {
  for (const DiskKey& key : k_disk_keys) {
    const std::string fault = disk.contains(key.name) ? value_fault(key, disk[key.name]) : "";
    if (!fault.empty()) return fault;
  }
  return "";
}

/// Of several faults the one that is least deep, as Ironic's check chooses.
std::string form_fault(const Json& config) {
  if (!config.is_object()) return wrong_type(config, "object");
  if (!config.contains("logical_disks")) return "'logical_disks' is a required property";
  std::vector<std::string> unknown;
  for (const auto& [name, value] : config.items()) {
    if (name != "logical_disks") unknown.push_back(name);
  }
  if (!unknown.empty()) return unexpected_keys(unknown);
  const Json& disks = config["logical_disks"];
  if (!disks.is_array()) return wrong_type(disks, "array");
  if (disks.empty()) return "[] is too short";
  for (const auto& check : {keys_fault, values_fault}) {
    for (const Json& disk : disks) {
      if (const std::string fault = check(disk); !fault.empty()) return fault;
    }
  }
  return "";
}

}  // namespace

std::string raid_config_fault(const Json& config) {
  const std::string fault = form_fault(config);
  if (!fault.empty()) return cat("RAID config validation error: ", fault);
  const Json& disks = config["logical_disks"];
  const auto roots =
      std::count_if(disks.begin(), disks.end(), [](const Json& disk) { return disk.value("is_root_volume", false); });
  if (roots > 1) {
    return cat("Raid config cannot have more than one root volume. ", roots, " root volumes were specified");
  }
  for (const Json& disk : disks) {
    if (disk.value("interface_type", "") == "scsi") return "interface type `scsi` not supported by Redfish RAID";
  }
  return "";
}

Json logical_disk_properties() {
  Json properties = Json::object();
  for (const DiskKey& key : k_disk_keys) properties[key.name] = key.meaning;
  return properties;
}

Json wanted_disks(const Json& config, bool root, bool others) {
  Json wanted = Json::array();
  for (const Json& disk : list_member(config, "logical_disks")) {
    if (disk.value("is_root_volume", false) ? root : others) wanted.push_back(disk);
  }
  return wanted;
}

}  // namespace hearth::bootstrap
