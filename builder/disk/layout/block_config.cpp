#include "builder/disk/layout/block_config.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "base/text.hpp"
#include "builder/disk/layout/config_check.hpp"
#include "builder/disk/layout/config_graph.hpp"
#include "builder/disk/layout/volume_check.hpp"
#include "builder/yaml/yaml_merge.hpp"

namespace hearth::builder {

namespace {

bool can_name_file(const std::string& name) {
  return !name.empty() && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return c != '/' && c >= ' ' && c != 0x7f; });
}

/// Puts the checked nodes together. The order of the steps is the order in which nodes refer to each other.
class LayoutMaker {
 public:
  LayoutMaker(std::vector<ConfigNode> nodes, const LayoutDefaults& defaults)
      : nodes_(std::move(nodes)), defaults_(defaults) {}

  /// Throws ConfigFailure, too; where faults() has any, the layout is none.
  DiskLayout make() {
    for (const ConfigNode& node : nodes_) fill_root_defaults(node);
    each("local_loop", &LayoutMaker::add_disk);
    if (disks_.empty() && faults_.all.empty())
      fail_config(YAML::Node(), "", "there is no local_loop: nothing to put the file systems on");
    if (disks_.empty()) disks_.emplace_back();  // for what stands on one that is at fault
    each("partitioning", &LayoutMaker::add_table);
    each("raid", &LayoutMaker::add_raid);
    each("luks", &LayoutMaker::add_luks);
    each("lvm", &LayoutMaker::add_lvm);
    check_volume_bases();
    each("mkfs", &LayoutMaker::add_file_system);
    each("mount", &LayoutMaker::add_mount);
    each("fstab", &LayoutMaker::add_fstab);
    if (!faults_.all.empty()) return {};
    check_volume_cycles();
    for (DiskLayout& disk : disks_) {
      check_sectors(disk);
      sort_by_mount_point(disk);
      check_direct(disk);
    }
    return put_together();
  }

  [[nodiscard]] const std::vector<ParseError>& faults() const { return faults_.all; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return layout_.warnings; }

 private:
  enum class Kind { disk, partition, volume, lvm_part, file_system, mount, fstab };

  void each(std::string_view plugin, void (LayoutMaker::*step)(const ConfigNode&)) {
    for (const ConfigNode& node : nodes_) {
      if (node.plugin == plugin && !faults_.attempt([&] { (this->*step)(node); })) presume(node);
    }
  }

  /// What is at fault is there all the same for those that stand on it: one fault is told once.
  void presume(const ConfigNode& node) {
    static const std::map<std::string_view, Kind> kinds = {{"local_loop", Kind::disk}, {"raid", Kind::volume},
                                                           {"luks", Kind::volume},     {"mkfs", Kind::file_system},
                                                           {"mount", Kind::mount},     {"fstab", Kind::fstab}};
    if (const auto kind = kinds.find(node.plugin); kind != kinds.end()) kinds_.emplace(node.name, kind->second);
    const auto add = [&](const char* list, Kind kind) {
      for (const YAML::Node& each : node.data[list]) {
        if (each.IsMap() && each["name"] && each["name"].IsScalar()) kinds_.emplace(each["name"].Scalar(), kind);
      }
    };
    if (node.plugin == "partitioning") add("partitions", Kind::partition);
    if (node.plugin != "lvm") return;
    add("pvs", Kind::lvm_part);
    add("vgs", Kind::lvm_part);
    add("lvs", Kind::volume);
  }

  void declare(const std::string& name, Kind kind, const ConfigNode& node) {
    declare(name, kind, node.data["name"] ? node.data["name"] : node.data, node.path);
  }

  /// Of a list of the node's.
  void declare(const std::string& name, Kind kind, const ConfigNode& node, const char* list) {
    YAML::Node at = node.data;
    std::string path = node.path;
    for (std::size_t i = 0; i < node.data[list].size(); ++i) {
      const YAML::Node its = node.data[list][i]["name"];
      if (!its || !its.IsScalar() || its.Scalar() != name) continue;
      at.reset(its);
      path = cat(node.path, ".", list, "[", i, "]");
    }
    declare(name, kind, at, path);
  }

  void declare(const std::string& name, Kind kind, const YAML::Node& at, const std::string& path) {
    if (kinds_.emplace(name, kind).second) {
      lines_[name] = at.Mark().line + 1;
    } else {
      fail_config(at, path, cat("Duplicate node name: ", name, " (the other one is in line ", lines_[name], ")"));
    }
  }

  /// `node` stands on something that is not there.
  [[noreturn]] void fail_edge(const ConfigNode& node, const std::string& base) const {
    std::vector<std::string> names;
    for (const auto& [name, kind] : kinds_) names.push_back(name);
    const std::optional<std::string> meant = nearest(base, names);
    fail_config(node.data["base"] ? node.data["base"] : node.data, node.path,
                cat("Edge not defined: ", base, "->", node.name, ": nothing is called ", base,
                    meant ? cat("; did you mean ", *meant, "?") : ""));
  }

  /// The kind of a node's base, which must be one of `allowed`.
  void require_base(const ConfigNode& node, const std::set<Kind>& allowed) {
    const auto base = kinds_.find(node.base);
    if (base == kinds_.end()) fail_edge(node, node.base);
    if (!allowed.contains(base->second)) {
      fail_config(node.data, node.path, cat(node.plugin, " can't be based on ", node.base));
    }
  }

  void warn_unknown(const ConfigNode& node) {
    for (const std::string& text : Settings(node.data, node.path).unknown_keys(keys_of_settings(node.plugin)))
      layout_.warnings.push_back(text);
  }

  void fill_root_defaults(const ConfigNode& node) const {
    if (node.plugin != "mkfs" || node.name != "mkfs_root") return;
    YAML::Node data = node.data;
    if (!data["type"]) data["type"] = defaults_.root_type;
    const bool as_expected = data["type"].IsScalar() && data["type"].Scalar() == defaults_.root_type;
    const std::string& options = as_expected ? defaults_.root_options : defaults_.other_root_options;
    if (!data["opts"] && !options.empty()) data["opts"] = options;
    if (data["label"]) return;
    const bool xfs = data["type"].IsScalar() && data["type"].Scalar() == "xfs";
    const bool given = !defaults_.root_label.empty() && !(xfs && defaults_.root_label == "cloudimg-rootfs");
    data["label"] = given ? defaults_.root_label : xfs ? "img-rootfs" : "cloudimg-rootfs";
    if (given && data["type"].IsScalar()) check_root_label(data["type"].Scalar());
  }

  /// It is no fault of the file.
  void check_root_label(const std::string& type) const {
    const std::size_t length = defaults_.root_label.size();
    const std::optional<std::size_t> limit = label_limit(DiskFileSystem{.type = type});
    if (!limit || length <= *limit) return;
    throw Error(ErrorKind::usage, cat("--root-label (ROOT_LABEL): '", defaults_.root_label, "' has ", length,
                                      " bytes; a label of ", type, " has at most ", *limit));
  }

  void add_disk(const ConfigNode& node) {
    declare(node.name, Kind::disk, node);
    warn_unknown(node);
    const Settings settings(node.data, node.path);
    const std::uint64_t sector = defaults_.sector_size.value_or(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(settings.bytes("block_size", 512), UINT32_MAX)));
    if (!disks_.empty() && !can_name_file(node.name)) {
      settings.fail(
          "the name of a further disk is part of its file's: neither empty nor longer than 100 bytes, "
          "without / and control characters");
    }
    if (sector != 512 && sector != 4096) settings.fail(cat("block_size must be 512 or 4096, not ", sector));
    DiskLayout& disk = disks_.emplace_back();
    disk.disk = node.name;
    disk.sector_size = static_cast<std::uint32_t>(sector);
    if (settings.has("size")) disk.size = settings.bytes("size", 0);
  }

  /// The disk of that name, or the one that holds the partition; else the first, where volumes lie.
  DiskLayout& disk_of(const std::string& base) {
    const auto holds = [&base](const DiskLayout& disk) {
      return disk.disk == base || std::any_of(disk.partitions.begin(), disk.partitions.end(),
                                              [&base](const Partition& each) { return each.name == base; });
    };
    const auto found = std::find_if(disks_.begin(), disks_.end(), holds);
    return found != disks_.end() ? *found : disks_.front();
  }

  void add_table(const ConfigNode& node) {
    require_base(node, {Kind::disk});
    warn_unknown(node);
    const PartitionTableSettings table = check_partitioning(Settings(node.data, node.path), layout_.warnings, faults_);
    for (const Partition& partition : table.partitions) declare(partition.name, Kind::partition, node, "partitions");
    if (!partitioned_.insert(node.base).second)
      fail_config(node.data, node.path, cat(node.base, " is partitioned twice"));
    DiskLayout& disk = disk_of(node.base);
    if (table.table == PartitionTable::mbr && disk.sector_size != 512) {
      fail_config(node.data, node.path, "an MBR needs sectors of 512 bytes; use label gpt for block_size 4096");
    }
    disk.table = table.table;
    disk.align = table.align;
    disk.partitions = table.partitions;
  }

  void add_raid(const ConfigNode& node) {
    warn_unknown(node);
    declare(node.name, Kind::volume, node);
    RaidArray array = check_raid(node);
    for (const std::string& member : array.members) use_base(node, member);
    layout_.volumes.arrays.push_back(std::move(array));
    layout_.beyond_direct.push_back(cat("a software RAID array (", node.path, ")"));
  }

  void add_luks(const ConfigNode& node) {
    warn_unknown(node);
    declare(node.name, Kind::volume, node);
    LuksVolume volume = check_luks(node);
    use_base(node, volume.base);
    layout_.volumes.encrypted.push_back(std::move(volume));
    layout_.beyond_direct.push_back(cat("an encrypted volume (", node.path, ")"));
  }

  void add_lvm(const ConfigNode& node) {
    warn_unknown(node);
    Volumes& volumes = layout_.volumes;
    const Volumes before = volumes;
    check_lvm(Settings(node.data, node.path), volumes, layout_.warnings, faults_);
    for (std::size_t i = before.physical.size(); i < volumes.physical.size(); ++i) {
      declare(volumes.physical[i].name, Kind::lvm_part, node, "pvs");
      if (!volumes.physical[i].base.empty()) use_base(node, volumes.physical[i].base);
    }
    for (std::size_t i = before.groups.size(); i < volumes.groups.size(); ++i) {
      declare(volumes.groups[i].name, Kind::lvm_part, node, "vgs");
    }
    for (std::size_t i = before.logical.size(); i < volumes.logical.size(); ++i) {
      const bool pool = volumes.logical[i].kind == LogicalVolume::Kind::thin_pool;
      declare(volumes.logical[i].name, pool ? Kind::lvm_part : Kind::volume, node, "lvs");
    }
    layout_.beyond_direct.push_back(cat("logical volumes (", node.path, ")"));
  }

  /// `node` takes the whole of the device `base`; what that is shows when all volumes are known.
  void use_base(const ConfigNode& node, const std::string& base) {
    if (!bases_.insert(base).second) fail_config(node.data, node.path, cat(base, " is in use already"));
    volume_bases_.emplace_back(&node, base);
  }

  void check_volume_bases() {
    for (const auto& [node, name] : volume_bases_) {
      faults_.attempt([&, node = node, &name = name] { check_volume_base(*node, name); });
    }
  }

  void check_volume_base(const ConfigNode& node, const std::string& name) {
    const auto base = kinds_.find(name);
    if (base == kinds_.end()) fail_edge(node, name);
    const bool array_on_volume = node.plugin == "raid" && base->second == Kind::volume;
    if ((base->second != Kind::partition && base->second != Kind::volume) || array_on_volume || name == node.name) {
      fail_config(node.data, node.path, cat(node.plugin, " can't be based on ", name));
    }
    const DiskLayout& disk = disk_of(name);
    if (&disk != &disks_.front())
      layout_.beyond_all.push_back(cat(node.plugin, " on another disk than the first (", disk.disk, ")"));
  }

  /// Encrypted and logical volumes may lie on each other, in any depth, but not in a circle.
  void check_volume_cycles() {
    for (const LuksVolume& volume : layout_.volumes.encrypted) {
      std::vector<std::string> way = {volume.base};
      for (std::size_t i = 0; i < way.size(); ++i) {
        if (way[i] == volume.name || way.size() > 256) {
          fail_config(YAML::Node(), "", cat("volume ", volume.name, " lies on itself"));
        }
        for (std::string& below : bases_below(layout_.volumes, way[i])) way.push_back(std::move(below));
      }
    }
  }

  void add_file_system(const ConfigNode& node) {
    const bool has_base = faults_.attempt([&] { require_base(node, {Kind::disk, Kind::partition, Kind::volume}); });
    warn_unknown(node);
    declare(node.name, Kind::file_system, node);
    DiskFileSystem made = check_mkfs(node, layout_.warnings);
    if (!labels_.insert(made.label).second) {
      fail_config(node.data, node.path, cat("File system label [", made.label, "] used more than once"));
    }
    if (!has_base) return;
    if (!bases_.insert(node.base).second) fail_config(node.data, node.path, cat(node.base, " holds two file systems"));
    if (kinds_.at(node.base) == Kind::volume) made.volume = node.base;
    if (partitioned_.contains(node.base)) {
      fail_config(node.data, node.path, cat(node.base, " is partitioned and can't hold a file system itself"));
    }
    DiskLayout& disk = disk_of(node.base);
    for (std::size_t i = 0; i < disk.partitions.size(); ++i) {
      if (disk.partitions[i].name == node.base) made.partition = i;
    }
    disk.file_systems.push_back(std::move(made));
  }

  DiskFileSystem& file_system(const std::string& name) {
    for (DiskLayout& disk : disks_) {
      for (DiskFileSystem& each : disk.file_systems) {
        if (each.name == name) return each;
      }
    }
    if (faults_.all.empty()) throw std::logic_error(cat("no file system is called ", name));  // its node was declared
    return at_fault_;
  }

  void add_mount(const ConfigNode& node) {
    faults_.attempt([&] { require_base(node, {Kind::file_system}); });
    warn_unknown(node);
    declare(node.name, Kind::mount, node);
    DiskFileSystem& mounted = file_system(node.base);
    std::string point = Settings(node.data, node.path).required("mount_point", "MountPoint config needs [mount_point]");
    if (mounted.type == "swap") {
      point = "none";
    } else if (!point.starts_with('/') || (point.size() > 1 && point.ends_with('/'))) {
      fail_config(node.data, node.path, cat("not an absolute path without a slash at its end: ", point));
    } else if (!mount_points_.insert(point).second) {
      fail_config(node.data, node.path, cat("Mount point [", point, "] specified more than once"));
    }
    mounted.mount_point = point;
    mounts_[node.name] = node.base;
  }

  void add_fstab(const ConfigNode& node) {
    require_base(node, {Kind::mount});
    warn_unknown(node);
    declare(node.name, Kind::fstab, node);
    const Settings settings(node.data, node.path);
    const auto mount = mounts_.find(node.base);
    file_system(mount == mounts_.end() ? "" : mount->second).fstab = FstabEntry{
        settings.text("options", "defaults"), settings.text("dump-freq", "0"), settings.text("fsck-passno", "2")};
  }

  static void check_sectors(const DiskLayout& disk) {
    if (disk.size && *disk.size % disk.sector_size != 0) {
      fail_config(YAML::Node(), "", cat("the disk's size must be a multiple of its sector size ", disk.sector_size));
    }
  }

  static void sort_by_mount_point(DiskLayout& disk) {
    std::stable_sort(disk.file_systems.begin(), disk.file_systems.end(),
                     [](const DiskFileSystem& a, const DiskFileSystem& b) { return a.mount_point < b.mount_point; });
  }

  static void check_direct(DiskLayout& disk) {
    static const std::set<std::string> makeable = {"ext2", "ext3", "ext4", "vfat", "fat", "swap", "btrfs", "xfs"};
    for (const DiskFileSystem& each : disk.file_systems) {
      if (!makeable.contains(each.type))
        disk.beyond_all.push_back(cat("file system type ", each.type, " (", each.name, ")"));
    }
  }

  /// The first disk, with what is common to all, and those beside it.
  DiskLayout put_together() {
    DiskLayout& first = disks_.front();
    first.volumes = std::move(layout_.volumes);
    first.warnings = std::move(layout_.warnings);
    first.beyond_direct = std::move(layout_.beyond_direct);
    first.beyond_all.insert(first.beyond_all.end(), layout_.beyond_all.begin(), layout_.beyond_all.end());
    for (std::size_t i = 0; i < disks_.size(); ++i) {
      for (const DiskFileSystem& each : disks_[i].file_systems) {
        if (i > 0 && each.mount_point == "/")
          fail_config(YAML::Node(), "", cat("/ lies on ", disks_[i].disk, ", and must on the first, ", first.disk));
        for (std::size_t other = 0; other < disks_.size(); ++other) {
          if (other != i && each.holds_files()) disks_[other].elsewhere.push_back(each.mount_point);
        }
      }
    }
    first.further.assign(std::make_move_iterator(disks_.begin() + 1), std::make_move_iterator(disks_.end()));
    return std::move(first);
  }

  std::vector<ConfigNode> nodes_;
  const LayoutDefaults& defaults_;
  ConfigFaults faults_;
  DiskFileSystem at_fault_;  ///< stands for those that are
  DiskLayout layout_;        ///< what is common to all disks: volumes, warnings
  std::vector<DiskLayout> disks_;
  std::map<std::string, Kind> kinds_;
  std::map<std::string, int> lines_;  ///< of what declared them
  std::set<std::string> partitioned_, bases_, labels_, mount_points_;
  std::vector<std::pair<const ConfigNode*, std::string>> volume_bases_;
  std::map<std::string, std::string> mounts_;  ///< mount node to its file system node
};

/// In the file's order, and behind them what only is to be told.
ParseFaults told(std::vector<ParseError> faults, const std::vector<std::string>& warnings, std::string_view source) {
  std::stable_sort(faults.begin(), faults.end(), [](const ParseError& one, const ParseError& other) {
    return std::pair(one.at.line, one.at.column) < std::pair(other.at.line, other.at.column);
  });
  for (ParseError& fault : faults) fault.source = source;
  for (const std::string& warning : warnings) faults.push_back({.what = cat(source, ":", warning)});
  return {std::move(faults)};
}

Result<DiskLayout, ParseFaults> from_yaml(std::string_view text, std::string_view source,
                                          const LayoutDefaults& defaults) {
  try {
    LayoutMaker maker(flatten_config(load_yaml(std::string(text))), defaults);
    DiskLayout layout = maker.make();
    if (!maker.faults().empty()) return told(maker.faults(), maker.warnings(), source);
    for (std::string& warning : layout.warnings) warning = cat(source, ":", warning);
    return layout;
  } catch (ConfigFailure& failure) {
    return told({std::move(failure.error)}, {}, source);
  }
}

}  // namespace

Result<DiskLayout, ParseFaults> parse_block_config(std::string_view text, std::string_view source,
                                                   const LayoutDefaults& defaults) {
  try {
    return from_yaml(text, source, defaults);
  } catch (const YAML::Exception& error) {
    Position at;
    if (!error.mark.is_null()) at = {error.mark.line + 1, error.mark.column + 1};
    return ParseFaults{{ParseError{std::string(source), at, error.msg}}};
  }
}

std::string_view builtin_block_config() {
  return "- local_loop:\n"
         "    name: image0\n"
         "    mkfs:\n"
         "      name: mkfs_root\n"
         "      mount:\n"
         "        mount_point: /\n"
         "        fstab:\n"
         "          options: defaults\n"
         "          fsck-passno: 1\n";
}

}  // namespace hearth::builder
