#include "builder/disk/layout/config_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/hex.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"

namespace hearth::builder {

namespace {

/// Of what parse_size() takes.
constexpr const char* k_size_units =
    "a number of bytes, or one with KiB, MiB, GiB, TiB (of 1024) or K, M, G, T, KB, MB, GB, TB (of 1000), as 8GiB";

std::string mbr_type(const Settings& settings) {
  std::string type = to_lower(settings.text("type", "83"));
  if (type.starts_with("0x")) type.erase(0, 2);
  if (!is_hex(type) || type.size() > 2) settings.fail_at("type", cat("not an MBR partition type: ", type));
  return type.size() == 1 ? cat("0", type) : type;
}

std::string gpt_type(const Settings& settings) {
  const std::string code = settings.text("type", "8300");
  std::string guid = gpt_type_guid(code);
  if (guid.empty()) {
    const std::string longer = to_upper(cat(code, "00"));  // of what MBR's are called
    settings.fail_at("type", cat("not a GPT partition type: ", code, " (a code of sgdisk, or a GUID)",
                                 gpt_type_guid(longer).empty() ? "" : cat("; did you mean ", longer, "?")));
  }
  return guid;
}

void read_flags(const Settings& settings, PartitionTable table, Partition& partition) {
  const YAML::Node flags = settings.data()["flags"];
  if (!flags || flags.IsNull()) return;
  if (!flags.IsSequence()) settings.fail_at("flags", "must be a list");
  for (const YAML::Node& flag : flags) {
    const std::string name = config_text(flag, settings.path());
    if (name == "boot") {
      partition.boot = true;
    } else if (name == "primary" && table == PartitionTable::gpt) {
      settings.fail_at("flags", "Primary flag not supported for GPT partitions");
    } else if (name == "primary") {
      partition.primary = true;
    } else {
      settings.fail_at("flags", cat("Unknown flag: ", name));
    }
  }
}

/// GPT attribute bits (UEFI specification 2.10, table 5-8; the upper ones by the Discoverable Partitions
/// Specification).
std::uint64_t read_attributes(const Settings& settings) {
  static const std::map<std::string, unsigned> bits = {{"required", 0}, {"no_block_io", 1}, {"legacy_boot", 2},
                                                       {"grow", 59},    {"read_only", 60},  {"shadow", 61},
                                                       {"hidden", 62},  {"no_auto", 63}};
  const YAML::Node list = settings.data()["attributes"];
  if (!list || list.IsNull()) return 0;
  if (!list.IsSequence()) settings.fail_at("attributes", "must be a list");
  std::uint64_t attributes = 0;
  for (const YAML::Node& member : list) {
    const std::string name = config_text(member, cat(settings.path(), ".attributes"));
    const auto found = bits.find(name);
    const std::optional<std::uint64_t> number = parse_number(name);
    if (found == bits.end() && (!number || *number > 63)) {
      settings.fail_at("attributes", cat("unknown attribute: ", name));
    }
    attributes |= std::uint64_t{1} << (found == bits.end() ? *number : found->second);
  }
  return attributes;
}

/// What only a GPT can hold.
void read_gpt_settings(const Settings& settings, PartitionTable table, Partition& partition) {
  const std::string uuid = settings.text("uuid");
  if (table != PartitionTable::gpt) {
    if (settings.has("attributes")) settings.fail_at("attributes", "only a GPT has attributes; an MBR has flags");
    if (!uuid.empty()) settings.fail_at("uuid", "partitions of an MBR have no UUID of their own");
    return;
  }
  partition.attributes = read_attributes(settings);
  if (uuid.empty()) return;
  if (!is_uuid(uuid)) settings.fail_at("uuid", cat("not a UUID: ", uuid));
  partition.guid = to_upper(uuid);
}

/// Partitions of which both begin and size are written down.
void check_overlaps(const Settings& settings, const std::vector<Partition>& partitions) {
  std::uint64_t end = 0;
  const Partition* before = nullptr;
  for (const Partition& partition : partitions) {
    if (partition.start && before != nullptr && *partition.start < end) {
      settings.fail(cat("partition ", partition.name, " begins at ", *partition.start, " and overlaps ", before->name,
                        ", which ends at ", end));
    }
    const auto* const bytes = std::get_if<std::uint64_t>(&partition.size);
    end = partition.start.value_or(end) + (bytes != nullptr ? *bytes : 0);
    before = &partition;
  }
}

Partition check_partition(const Settings& settings, PartitionTable table) {
  Partition partition;
  partition.name = settings.required("name", "a partition needs 'name'");
  const std::string size = settings.required("size", cat("partition ", partition.name, " needs 'size'"));
  const std::optional<SizeSpec> spec = parse_size_spec(size);
  if (!spec)
    settings.fail_at("size", cat("Invalid size unit spec [", size, "]: ", k_size_units, "; 25% of what is left"));
  partition.size = *spec;
  if (settings.has("start")) partition.start = settings.bytes("start", 0);
  if (partition.start && *partition.start % 512 != 0)
    settings.fail_at("start", "must be a multiple of the sector size");
  partition.type = table == PartitionTable::gpt ? gpt_type(settings) : mbr_type(settings);
  read_flags(settings, table, partition);
  read_gpt_settings(settings, table, partition);
  return partition;
}

void check_primaries_first(const Settings& settings, const std::vector<Partition>& partitions) {
  bool logical = false;
  std::size_t primaries = 0;
  for (const Partition& partition : partitions) {
    if (partition.primary && logical) settings.fail("All primary partitions must be given first");
    logical = logical || !partition.primary;
    primaries += partition.primary ? 1U : 0U;
  }
  if (primaries + (logical ? 1U : 0U) > 4)
    settings.fail("an MBR holds at most four entries, the extended one included");
}

/// A UUID as given, in the form that blkid shows for this type.
std::string checked_uuid(const Settings& settings, const DiskFileSystem& file_system) {
  std::string uuid = settings.text("uuid");
  if (uuid.empty()) return uuid;
  if (!file_system.is_fat()) {
    if (!is_uuid(uuid)) settings.fail_at("uuid", cat("not a UUID: ", uuid));
    return to_lower(uuid);
  }
  uuid = to_upper(replace_all(uuid, "-", ""));
  if (uuid.size() != 8 || !is_hex(to_lower(uuid)))
    settings.fail_at("uuid", cat("a FAT volume id has 8 hexadecimal digits: ", uuid));
  return cat(uuid.substr(0, 4), "-", uuid.substr(4));
}

struct GptType {
  std::string_view code;
  std::string_view guid;
  std::string_view name;
};

/// From the Discoverable Partitions Specification and the UEFI specification, under sgdisk's codes.
constexpr std::array<GptType, 17> k_gpt_types = {{
    {"EF00", k_esp_type, "EFI System"},
    {"EF02", k_bios_boot_type, "BIOS boot"},
    {"8300", "0FC63DAF-8483-4772-8E79-3D69D8477DE4", "Linux file system"},
    {"8200", "0657FD6D-A4AB-43C4-84E5-0933C84B4F4F", "Linux swap"},
    {"8302", "933AC7E1-2EB4-4F13-B844-0E14E2AEF915", "Linux /home"},
    {"8303", "44479540-F297-41B2-9AF7-D131D5F0458A", "Linux root (x86)"},
    {"8304", "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709", "Linux root (x86-64)"},
    {"8305", "B921B045-1DF0-41C3-AF44-4C6F280D3FAE", "Linux root (arm64)"},
    {"8306", "3B8F8425-20E0-4F3B-907F-1A25A76F98E8", "Linux /srv"},
    {"8310", "4D21B016-B534-45C2-A9FB-5C16E091FD2D", "Linux /var"},
    {"8E00", "E6D6D379-F507-44C2-A23C-238F2A3DF928", "Linux LVM"},
    {"FD00", "A19D880F-05FC-4D3B-A006-743F0F84911E", "Linux RAID"},
    {"0700", "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7", "Microsoft basic data"},
    {"0C01", "E3C9E316-0B5C-4DB8-817D-F92DF00215AE", "Microsoft reserved"},
    {"4100", "9E1A2D38-C612-4316-AA26-8B49521E5A8B", "PowerPC PReP boot"},
    {"EA00", "BC13C2FF-59E6-4262-A352-B275FD6F7172", "extended boot loader"},
    {"8309", "CA7D7CCB-63ED-4C53-861C-1742536059CC", "Linux LUKS"},
}};

}  // namespace

std::optional<std::size_t> label_limit(const DiskFileSystem& file_system) {
  if (file_system.is_ext() || file_system.type == "swap") return 16;
  if (file_system.type == "xfs") return 12;
  if (file_system.is_fat()) return 11;
  return std::nullopt;
}

std::string_view gpt_type_name(std::string_view guid) {
  const std::string wanted = to_upper(std::string(guid));
  const auto* const found =
      std::find_if(k_gpt_types.begin(), k_gpt_types.end(), [&](const GptType& type) { return type.guid == wanted; });
  return found == k_gpt_types.end() ? "" : found->name;
}

std::string Settings::text(const char* key, const std::string& fallback) const {
  const YAML::Node value = data_[key];
  if (!value || value.IsNull()) return fallback;
  return config_text(value, cat(path_, ".", key));
}

std::string Settings::required(const char* key, const std::string& message) const {
  std::string value = text(key);
  if (value.empty()) fail(message);
  return value;
}

std::uint64_t Settings::bytes(const char* key, std::uint64_t fallback) const {
  if (!has(key)) return fallback;
  const std::optional<std::uint64_t> size = parse_size(text(key));
  if (!size) fail_at(key, cat("Invalid size unit spec [", text(key), "]: ", k_size_units));
  return *size;
}

void Settings::fail_at(const char* key, const std::string& message) const {
  fail_config(data_[key], cat(path_, ".", key), message);
}

std::vector<std::string> Settings::unknown_keys(const std::vector<std::string>& known) const {
  std::vector<std::string> found;
  for (const auto& entry : data_) {
    const std::string key = entry.first.Scalar();
    if (is_block_plugin(key) || std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::optional<std::string> meant = nearest(key, known);
    found.push_back(cat(entry.first.Mark().line + 1, ":", entry.first.Mark().column + 1, ": ", path_, ": unknown key '",
                        key, "'", meant ? cat(", did you mean '", *meant, "'?") : std::string()));
  }
  return found;
}

std::string gpt_type_guid(std::string code) {
  code = to_upper(std::move(code));
  if (is_uuid(code)) return code;
  if (code.starts_with("0X")) code.erase(0, 2);
  for (const GptType& type : k_gpt_types) {
    if (type.code == code) return std::string(type.guid);
  }
  return "";
}

PartitionTableSettings check_partitioning(const Settings& settings, std::vector<std::string>& warnings,
                                          ConfigFaults& faults) {
  PartitionTableSettings result;
  const std::size_t before = faults.all.size();
  const std::string label = settings.required("label", "Partitioning config needs 'label'");
  if (label != "mbr" && label != "gpt") settings.fail_at("label", "Label must be 'mbr' or 'gpt'");
  result.table = label == "gpt" ? PartitionTable::gpt : PartitionTable::mbr;
  result.align = settings.bytes("align", result.align);
  if (result.align == 0 || result.align % 512 != 0) settings.fail_at("align", "must be a multiple of 512");
  const YAML::Node partitions = settings.data()["partitions"];
  if (!partitions) settings.fail("Partitioning config needs 'partitions'");
  if (!partitions.IsSequence() || partitions.size() == 0)
    settings.fail_at("partitions", "must be a list of partitions");
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const std::string path = cat(settings.path(), ".partitions[", i, "]");
    if (!partitions[i].IsMap()) fail_config(partitions[i], path, "must be a map");
    const Settings partition(partitions[i], path);
    const bool is_right =
        faults.attempt([&] { result.partitions.push_back(check_partition(partition, result.table)); });
    if (const YAML::Node name = partition.data()["name"]; !is_right && name && name.IsScalar())
      result.partitions.push_back({.name = name.Scalar()});
    for (const std::string& text : partition.unknown_keys(keys_of_settings("partitions"))) {
      warnings.push_back(text);
    }
  }
  if (faults.all.size() > before) return result;
  if (result.table == PartitionTable::mbr) check_primaries_first(settings, result.partitions);
  check_overlaps(settings, result.partitions);
  if (result.partitions.size() > 128) settings.fail("at most 128 partitions");
  return result;
}

const std::vector<std::string>& known_file_systems() {
  static const std::vector<std::string> known = {"ext2", "ext3", "ext4", "xfs", "vfat", "fat", "swap", "btrfs"};
  return known;
}

DiskFileSystem check_mkfs(const ConfigNode& node, std::vector<std::string>& warnings) {
  const std::vector<std::string>& known = known_file_systems();
  const Settings settings(node.data, node.path);
  DiskFileSystem file_system;
  file_system.name = node.name;
  file_system.type = settings.required("type", "Mkfs config needs [type]");
  file_system.label = settings.text("label", node.name);
  if (file_system.is_fat()) file_system.label = to_upper(file_system.label);
  const std::optional<std::size_t> limit = label_limit(file_system);
  if (limit && file_system.label.size() > *limit) {
    const std::string text = cat("Label [", file_system.label, "] too long for filesystem [", file_system.type,
                                 "]: ", file_system.label.size(), " > ", *limit);
    if (settings.has("label")) settings.fail_at("label", text);
    settings.fail(text);
  }
  file_system.options = split_words(settings.text("opts"));
  file_system.uuid = checked_uuid(settings, file_system);
  if (std::find(known.begin(), known.end(), file_system.type) == known.end()) {
    const YAML::Mark at = node.data["type"].Mark();
    const bool is_ext = file_system.type.starts_with("ext") && file_system.type.size() == 4;
    const std::optional<std::string> meant = is_ext ? "ext4" : nearest(file_system.type, known);
    warnings.push_back(cat(at.line + 1, ":", at.column + 1, ": ", node.path, ".type: unknown file system type ",
                           file_system.type, meant ? cat(", did you mean ", *meant, "?") : ""));
  }
  return file_system;
}

}  // namespace hearth::builder
