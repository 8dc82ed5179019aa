#include "builder/disk/layout/volume_check.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.hpp"
#include "base/uuid.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

bool is_lvm_name(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+_.-";
  return !name.empty() && name.size() <= 64 && name[0] != '-' && name != "." && name != ".." &&
         name.find_first_not_of(allowed) == std::string_view::npos;
}

/// A list of words: a YAML list, or one text split at blanks.
std::vector<std::string> words_of(const Settings& settings, const char* key) {
  const YAML::Node node = settings.data()[key];
  if (!node || node.IsNull()) return {};
  if (node.IsScalar()) return split_words(node.Scalar());
  if (!node.IsSequence()) settings.fail_at(key, "must be a list, or words in plain text");
  std::vector<std::string> words;
  for (const YAML::Node& member : node) words.push_back(config_text(member, cat(settings.path(), ".", key)));
  return words;
}

/// What stands below a member of one of the lvm lists.
const char* base_of(std::string_view list) {
  if (list == "pvs") return "the name of a partition, an array or an encrypted volume";
  return list == "vgs" ? "a list of names of pvs" : "the name of one of vgs";
}

template <class Parts>
std::vector<std::string> names_of_parts(const Parts& parts) {
  std::vector<std::string> names;
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

/// The members of one of the lvm lists, each with its name and bases checked to be there; what is not is a fault.
std::vector<Settings> lvm_members(const Settings& settings, const char* list, std::vector<std::string>& warnings,
                                  ConfigFaults& faults) {
  std::vector<Settings> members;
  const YAML::Node node = settings.data()[list];
  if (!node.IsSequence()) settings.fail_at(list, "must be a list");
  for (std::size_t i = 0; i < node.size(); ++i) {
    const YAML::Node item = node[i];
    const std::string path = cat(settings.path(), ".", list, "[", i, "]");
    if (!item.IsMap()) fail_config(item, path, "must be a map");
    const Settings member(item, path);
    const bool is_right = faults.attempt([&] {
      const std::string name = member.required("name", cat("Missing 'name' in ", list, " config"));
      if (!is_lvm_name(name)) member.fail_at("name", cat("not a name that LVM takes: ", name));
      if (!member.has("base")) member.fail(cat("Missing 'base' in ", list, " config: ", base_of(list)));
    });
    for (const std::string& text : member.unknown_keys(keys_of_settings(list))) warnings.push_back(text);
    if (is_right || (item["name"] && item["name"].IsScalar())) members.push_back(member);
  }
  return members;
}

/// "23%VG", "100%FREE", or a number of extents.
void read_extents(const Settings& settings, LogicalVolume& volume) {
  using Share = LogicalVolume::Share;
  const std::string text = settings.text("extents");
  const std::size_t percent = text.find('%');
  if (percent == std::string::npos) {
    const std::optional<std::uint64_t> count = parse_number(text);
    if (!count || *count == 0) settings.fail_at("extents", cat("not a number of extents: ", text));
    volume.extents = *count;
    return;
  }
  const std::string unit = text.substr(percent + 1);
  volume.share = unit == "VG"     ? Share::group
                 : unit == "FREE" ? Share::free
                 : unit == "PVS"  ? Share::physical
                                  : Share::none;
  if (volume.share == Share::none) settings.fail_at("extents", cat("a share must be of VG, FREE or PVS: ", text));
  const auto [end, failure] = std::from_chars(text.data(), text.data() + percent, volume.percent);
  if (failure != std::errc() || end != text.data() + percent || volume.percent <= 0 || volume.percent > 100) {
    settings.fail_at("extents", cat("not a share between 0% and 100%: ", text));
  }
}

void read_size(const Settings& settings, LogicalVolume& volume) {
  if (!settings.has("size")) {
    if (!settings.has("extents")) settings.fail("Missing 'size' or 'extents' in lvs config");
    return read_extents(settings, volume);
  }
  volume.bytes = settings.bytes("size", 0) / k_lvm_extent * k_lvm_extent;
  if (volume.bytes == 0) settings.fail_at("size", cat("less than one extent of ", human_bytes(k_lvm_extent)));
}

void read_kind(const Settings& settings, LogicalVolume& volume) {
  const std::string type = settings.text("type");
  if (!type.empty() && type != "thin" && type != "thin-pool") {
    settings.fail(cat("Unsupported type:", type, ", supported types: thin, thin-pool"));
  }
  volume.kind = type == "thin"        ? LogicalVolume::Kind::thin
                : type == "thin-pool" ? LogicalVolume::Kind::thin_pool
                                      : LogicalVolume::Kind::linear;
  volume.pool = settings.text("thin-pool");
  if (volume.kind != LogicalVolume::Kind::thin) return;
  if (volume.pool.empty()) settings.fail("a thin volume needs 'thin-pool'");
  if (volume.bytes == 0) settings.fail("a thin volume needs 'size': it has no extents of its own");
}

LogicalVolume check_logical(const Settings& settings, const Volumes& volumes) {
  LogicalVolume volume{.name = settings.text("name"), .group = settings.text("base")};
  const auto is_group = [&](const VolumeGroup& group) { return group.name == volume.group; };
  if (std::none_of(volumes.groups.begin(), volumes.groups.end(), is_group)) {
    settings.fail_at("base", cat("base:", volume.group, " in lvs does not match a valid vg",
                                 did_you_mean(volume.group, names_of_parts(volumes.groups))));
  }
  read_size(settings, volume);
  read_kind(settings, volume);
  volume.options = words_of(settings, "options");
  const auto is_pool = [&](const LogicalVolume& other) {
    return other.name == volume.pool && other.group == volume.group && other.kind == LogicalVolume::Kind::thin_pool;
  };
  if (!volume.pool.empty() && std::none_of(volumes.logical.begin(), volumes.logical.end(), is_pool)) {
    settings.fail_at("thin-pool", cat("there is no thin pool ", volume.pool, " in ", volume.group, " before it"));
  }
  return volume;
}

VolumeGroup check_group(const Settings& settings, const Volumes& volumes) {
  VolumeGroup group{.name = settings.text("name"), .members = words_of(settings, "base")};
  group.options = words_of(settings, "options");
  if (group.members.empty()) settings.fail_at("base", "a volume group needs at least one physical volume");
  for (const VolumeGroup& other : volumes.groups) {
    if (other.name == group.name) settings.fail_at("name", cat("there are two volume groups named ", group.name));
    for (const std::string& member : group.members) {
      if (std::find(other.members.begin(), other.members.end(), member) == other.members.end()) continue;
      settings.fail_at("base", cat("physical volume ", member, " is in volume group ", other.name, " already"));
    }
  }
  for (const std::string& member : group.members) {
    const auto is_it = [&](const PhysicalVolume& each) { return each.name == member; };
    if (std::none_of(volumes.physical.begin(), volumes.physical.end(), is_it)) {
      settings.fail_at("base", cat("base:", member, " in vgs does not match a valid pvs",
                                   did_you_mean(member, names_of_parts(volumes.physical))));
    }
  }
  return group;
}

/// More than the whole of a group can be asked for by shares alone.
void check_shares(const Settings& settings, const VolumeGroup& group, const Volumes& volumes) {
  double total = 0;
  for (const LogicalVolume& volume : volumes.logical) {
    if (volume.group == group.name && volume.share == LogicalVolume::Share::group) total += volume.percent;
  }
  if (total > 100.0001) {
    settings.fail_at("lvs", cat("the volumes of ", group.name, " ask for ", fixed(total, 0), " % of it"));
  }
}

}  // namespace

void check_lvm(const Settings& settings, Volumes& volumes, std::vector<std::string>& warnings, ConfigFaults& faults) {
  if (!settings.has("pvs")) settings.fail("Lvm config requires a 'pvs'");
  if (!settings.has("vgs")) settings.fail("Lvm config needs 'vgs'");
  if (!settings.has("lvs")) settings.fail("Lvm config needs 'lvs'");
  const std::size_t before = faults.all.size();
  const auto each = [&](const char* list, auto& parts, const auto& check) {
    for (const Settings& member : lvm_members(settings, list, warnings, faults)) {
      const bool is_whole = member.has("base");  // else that was told
      if (is_whole && faults.attempt([&] { parts.push_back(check(member)); })) continue;
      parts.push_back({.name = member.text("name")});
    }
  };
  each("pvs", volumes.physical, [&](const Settings& member) {
    const std::string base = member.text("base");
    for (const PhysicalVolume& other : volumes.physical) {
      if (other.base == base) member.fail_at("base", cat(base, " is a physical volume already"));
    }
    return PhysicalVolume{member.text("name"), base, "", words_of(member, "options")};
  });
  each("vgs", volumes.groups, [&](const Settings& member) { return check_group(member, volumes); });
  each("lvs", volumes.logical, [&](const Settings& member) { return check_logical(member, volumes); });
  if (faults.all.size() > before) return;
  for (const VolumeGroup& group : volumes.groups) check_shares(settings, group, volumes);
}

LuksVolume check_luks(const ConfigNode& node) {
  const Settings settings(node.data, node.path);
  if (node.base.empty()) settings.fail("Luks config needs 'base'");
  LuksVolume volume{.name = node.name, .base = node.base};
  volume.version = settings.text("type", volume.version);
  volume.key_file = settings.text("key_file");
  volume.image_key_file = settings.text("image_key_file");
  volume.crypttab = settings.text("crypttab", volume.crypttab);
  volume.uuid = to_lower(settings.text("uuid"));
  volume.options = words_of(settings, "options");
  if (!is_lvm_name(volume.name)) settings.fail(cat("not a name for a mapped device: ", volume.name));
  if (volume.version != "luks1" && volume.version != "luks2") settings.fail_at("type", "must be luks1 or luks2");
  if (!volume.uuid.empty() && !is_uuid(volume.uuid)) settings.fail_at("uuid", cat("not a UUID: ", volume.uuid));
  if (volume.key_file.empty() == volume.image_key_file.empty()) {
    settings.fail("needs a key: either 'key_file' (a file of the building machine) or 'image_key_file' (in the image)");
  }
  if (!volume.image_key_file.empty() && !volume.image_key_file.starts_with('/')) {
    settings.fail_at("image_key_file", "must be an absolute path in the image");
  }
  return volume;
}

RaidArray check_raid(const ConfigNode& node) {
  static const std::set<std::string> levels = {"0", "1", "4", "5", "6", "10"};
  const Settings settings(node.data, node.path);
  RaidArray array{.name = node.name, .members = words_of(settings, "base")};
  array.level = settings.text("level", array.level);
  if (array.level.starts_with("raid")) array.level.erase(0, 4);
  array.metadata = settings.text("metadata", array.metadata);
  array.uuid = to_lower(settings.text("uuid"));
  array.options = words_of(settings, "options");
  if (!is_lvm_name(array.name)) settings.fail(cat("not a name for an array: ", array.name));
  if (!levels.contains(array.level)) settings.fail_at("level", "must be 0, 1, 4, 5, 6 or 10");
  if (array.metadata != "1.0" && array.metadata != "1.2") settings.fail_at("metadata", "must be 1.0 or 1.2");
  if (!array.uuid.empty() && !is_uuid(array.uuid)) settings.fail_at("uuid", cat("not a UUID: ", array.uuid));
  const std::size_t least = array.level == "6" ? 4 : array.level == "5" || array.level == "4" ? 3 : 2;
  if (array.members.size() < least) {
    settings.fail(cat("level ", array.level, " needs at least ", least, " members in 'base'"));
  }
  const std::set<std::string> distinct(array.members.begin(), array.members.end());
  if (distinct.size() != array.members.size()) settings.fail_at("base", "a member is named twice");
  return array;
}

}  // namespace hearth::builder
