#include "builder/disk/guest/guest_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/volume_sizes.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_kib = 1024;
constexpr std::uint64_t k_guest_plan_sector = 512;

/// `printf` words that write these bytes, whatever they are.
std::string printf_bytes(const std::string& bytes) {
  std::string text = "printf '";
  for (const char c : bytes) {
    std::array<char, 8> octal{};
    std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += octal.data();
  }
  return text + "'";
}

class Planner {
 public:
  Planner(const DiskLayout& layout, const Placement& placement, const KeyOf& key_of, bool reproducible,
          const std::set<std::size_t>& inside)
      : layout_(layout),
        volumes_(layout.volumes),
        placement_(placement),
        key_of_(key_of),
        reproducible_(reproducible),
        inside_(inside) {}

  GuestPlan make() {
    walk();
    for (std::size_t i = 0; i < layout_.file_systems.size(); ++i) add_fill(i);
    return std::move(plan_);
  }

 private:
  void walk() {
    for (const RaidArray& array : volumes_.arrays) ensure(array.name);
    for (const LuksVolume& volume : volumes_.encrypted) ensure(volume.name);
    for (const VolumeGroup& group : volumes_.groups) ensure_group(group);
  }

  /// Plans a volume after everything that it lies on.
  void ensure(const std::string& name) {
    if (!done_.insert(name).second) return;
    for (const std::string& base : bases_below(volumes_, name)) ensure(base);
    for (const RaidArray& array : volumes_.arrays) {
      if (array.name == name) add(cat("array ", name), create_array(array));
    }
    for (const LuksVolume& volume : volumes_.encrypted) {
      if (volume.name == name) add(cat("encrypted volume ", name), encrypted(volume));
    }
    for (const LogicalVolume& volume : volumes_.logical) {
      if (volume.name == name) ensure_group(volumes_.group(volume.group));
    }
  }

  void ensure_group(const VolumeGroup& group) {
    if (!done_.insert(cat("group ", group.name)).second) return;
    std::vector<const PhysicalVolume*> members;
    for (const PhysicalVolume& each : volumes_.physical) {
      if (std::find(group.members.begin(), group.members.end(), each.name) != group.members.end()) {
        ensure(each.base);
        members.push_back(&each);
      }
    }
    add(cat("volume group ", group.name), create_group(group, members));
    plan_.build.back().group = group.name;
    for (const PhysicalVolume* const member : members) plan_.build.back().members.push_back(device(member->base));
  }

  /// On a busy machine the names of new devices come late; a dd to one that is not there would make a plain file of it.
  void add(std::string title, const std::string& script) {
    plan_.build.push_back({std::move(title), cat(script, "udevadm settle\n")});
  }
  std::string device(const std::string& name) const { return guest_device(layout_, placement_, name); }

  std::string create_array(const RaidArray& array) const {
    std::vector<std::string> words = {"mdadm", "--create",       cat("/dev/md/", array.name),
                                      "--run", "--assume-clean", "--homehost=any"};
    words.push_back(cat("--name=", array.name));
    words.push_back(cat("--uuid=", mdadm_uuid(array.uuid)));
    words.push_back(cat("--level=", array.level));
    words.push_back(cat("--raid-devices=", array.members.size()));
    words.push_back(cat("--metadata=", array.metadata));
    words.emplace_back("--bitmap=none");
    if (array.metadata == "1.2") words.push_back(cat("--data-offset=", k_volume_align / k_kib, "K"));
    const std::uint64_t bytes = placement_.volumes.at(array.name);
    const std::size_t count = array.members.size();
    if (array.level != "1") words.emplace_back("--chunk=512");
    if (array.level == "1") words.push_back(cat("--size=", bytes / k_kib));
    if (array.level == "4" || array.level == "5") words.push_back(cat("--size=", bytes / (count - 1) / k_kib));
    if (array.level == "6") words.push_back(cat("--size=", bytes / (count - 2) / k_kib));
    words.insert(words.end(), array.options.begin(), array.options.end());
    for (const std::string& member : array.members) words.push_back(device(member));
    return cat("yes | ", shell_join(words), "\n");
  }

  /// The label of the drive of random bytes for a volume, where it is to be the same every time.
  std::string noise_for(const LuksVolume& volume) {
    const auto index = static_cast<std::size_t>(&volume - volumes_.encrypted.data());
    std::string label = "noise";
    for (const char digit : std::to_string(index)) label.push_back(static_cast<char>('a' + (digit - '0')));
    plan_.noise.push_back({label, index});
    return label;
  }

  std::string encrypted(const LuksVolume& volume) {
    const bool first = volume.version == "luks1";
    const std::uint64_t header = (first ? k_luks1_header : k_luks2_header) / k_guest_plan_sector;
    std::vector<std::string> format = {"cryptsetup",   "-q",     "luksFormat", "--type",
                                       volume.version, "--uuid", volume.uuid};
    if (first) {
      format.insert(format.end(), {"--align-payload", std::to_string(header), "--pbkdf-force-iterations",
                                   volume.image_key_file.empty() ? "600000" : "10000"});
    } else {
      format.insert(format.end(), {"--offset", std::to_string(header)});
      // The tool would measure what this, often an interpreted, machine can do in two seconds.
      if (volume.image_key_file.empty()) {
        format.insert(format.end(), {"--pbkdf", "argon2id", "--pbkdf-force-iterations", "4", "--pbkdf-memory", "262144",
                                     "--pbkdf-parallel", "2"});
      } else {
        format.insert(format.end(), {"--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "10000"});
      }
    }
    format.insert(format.end(), volume.options.begin(), volume.options.end());
    format.insert(format.end(), {"--key-file", "/tmp/hearth.key", device(volume.base)});
    std::string script = cat("umask 077; ", printf_bytes(key_of_(volume)), " > /tmp/hearth.key\n");
    const std::string noise = reproducible_ ? noise_for(volume) : "";
    if (!noise.empty()) script += cat("mount --bind \"$(readlink -f /dev/disk/guestfs/", noise, ")\" /dev/urandom\n");
    if (!noise.empty()) script += "trap 'umount /dev/urandom' EXIT\n";
    script += cat(shell_join(format), "\n");
    return cat(script, "cryptsetup open --key-file /tmp/hearth.key ", device(volume.base), " ", volume.name,
               "\nrm -f /tmp/hearth.key\n");
  }

  std::string create_group(const VolumeGroup& group, const std::vector<const PhysicalVolume*>& members) const {
    std::string script;
    std::vector<std::string> vgcreate = {"vgcreate", "-q", "-y", "-s", "4m"};
    vgcreate.insert(vgcreate.end(), group.options.begin(), group.options.end());
    vgcreate.push_back(group.name);
    for (const PhysicalVolume* const member : members) {
      std::vector<std::string> pvcreate = {"pvcreate",        "-q", "-y", "--uuid", member->uuid, "--norestorefile",
                                           "--dataalignment", "1m"};
      pvcreate.insert(pvcreate.end(), member->options.begin(), member->options.end());
      pvcreate.push_back(device(member->base));
      vgcreate.push_back(device(member->base));
      script += cat(shell_join(pvcreate), "\n");
    }
    script += cat(shell_join(vgcreate), "\n");
    for (const LogicalVolume& volume : volumes_.logical) {
      if (volume.group == group.name) script += cat(shell_join(lvcreate(volume)), "\n");
    }
    return script;
  }

  std::vector<std::string> lvcreate(const LogicalVolume& volume) const {
    std::vector<std::string> words = {"lvcreate", "-q", "-y", "--name", volume.name};
    if (volume.kind == LogicalVolume::Kind::thin) {
      words.insert(words.end(), {"--type", "thin", "--thinpool", volume.pool, "-V", cat(volume.bytes, "b")});
    } else {
      const std::uint64_t extents = placement_.extents.at(cat(volume.group, "/", volume.name));
      if (volume.kind == LogicalVolume::Kind::thin_pool) {
        words.insert(words.end(), {"--type", "thin-pool", "--chunksize", "64k", "--poolmetadatasize",
                                   cat(thin_metadata_bytes(extents * k_lvm_extent), "b")});
      }
      words.insert(words.end(), {"-l", std::to_string(extents)});
    }
    words.insert(words.end(), volume.options.begin(), volume.options.end());
    words.push_back(volume.group);
    return words;
  }

  void add_fill(std::size_t index) {
    const DiskFileSystem& file_system = layout_.file_systems[index];
    const bool direct = is_direct_type(file_system) && !inside_.contains(index);
    if (direct && file_system.volume.empty()) return;
    GuestFill fill{.file_system = index, .device = device_of(file_system), .made_outside = direct};
    if (!direct) fill.format = format_script(file_system, fill.device);
    plan_.fills.push_back(std::move(fill));
  }

  std::string device_of(const DiskFileSystem& file_system) const {
    if (!file_system.volume.empty()) return device(file_system.volume);
    return file_system.partition ? device(layout_.partitions[*file_system.partition].name) : device(layout_.disk);
  }

  static std::string format_script(const DiskFileSystem& file_system, const std::string& device) {
    if (file_system.type != "xfs") {
      throw Error(ErrorKind::unsupported, cat("no disk maker can make file systems of type ", file_system.type));
    }
    std::vector<std::string> words = {
        "mkfs.xfs", "-q", "-f", "-K", "-L", file_system.label, "-m", cat("uuid=", file_system.uuid)};
    words.insert(words.end(), file_system.options.begin(), file_system.options.end());
    words.push_back(device);
    return cat(shell_join(words), "\n");
  }

  const DiskLayout& layout_;
  const Volumes& volumes_;
  const Placement& placement_;
  const KeyOf& key_of_;
  bool reproducible_;
  const std::set<std::size_t>& inside_;
  std::set<std::string> done_;
  GuestPlan plan_;
};

}  // namespace

std::string guest_device(const DiskLayout& layout, const Placement& placement, const std::string& name) {
  std::string disk = cat("/dev/disk/guestfs/", k_guest_disk);
  if (name == layout.disk) return disk;
  for (std::size_t i = 0; i < layout.partitions.size(); ++i) {
    if (layout.partitions[i].name == name) return cat(disk, placement.numbers[i]);
  }
  for (const RaidArray& array : layout.volumes.arrays) {
    if (array.name == name) return cat("/dev/md/", name);
  }
  for (const LogicalVolume& volume : layout.volumes.logical) {
    if (volume.name == name) return cat("/dev/", volume.group, "/", name);
  }
  return cat("/dev/mapper/", name);
}

bool is_direct_type(const DiskFileSystem& file_system) {
  return file_system.is_ext() || file_system.is_fat() || file_system.type == "swap" || file_system.type == "btrfs" ||
         file_system.type == "xfs";
}

GuestPlan plan_guest(const DiskLayout& layout, const Placement& placement, const KeyOf& key_of, bool reproducible,
                     const std::set<std::size_t>& inside) {
  return Planner(layout, placement, key_of, reproducible, inside).make();
}

}  // namespace hearth::builder
