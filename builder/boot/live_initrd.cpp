#include "builder/boot/live_initrd.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "builder/boot/boot_tree.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint32_t k_directory = 0040755;
constexpr std::uint32_t k_regular_file = 0100644;
constexpr std::uint32_t k_program = 0100755;

const std::vector<std::string>& live_modules() {
  static const std::vector<std::string> modules = {"loop",        "squashfs",    "overlay",  "isofs",    "cdrom",
                                                   "sr_mod",      "sd_mod",      "ata_piix", "ahci",     "virtio_blk",
                                                   "virtio_scsi", "usb-storage", "uas",      "xhci-pci", "ehci-pci"};
  return modules;
}

/// Run by initramfs-tools for boot=hearth-live; overrides mountroot() of its scripts/local.
constexpr const char* k_script = R"sh(# Mounts the tree on the medium, with room for changes in memory.
live_find_medium()
{
	for device in /dev/sr* /dev/vd* /dev/sd* /dev/nvme*n* /dev/mmcblk*; do
		[ -b "$device" ] || continue
		mount -t iso9660 -o ro "$device" /run/live/medium 2>/dev/null || continue
		[ -e "/run/live/medium/MEDIUM" ] && return 0
		umount /run/live/medium
	done
	return 1
}

mountroot()
{
	for module in MODULES; do
		modprobe -q "$module" || true
	done
	mkdir -p /run/live/medium /run/live/tree /run/live/changes
	tries=60
	until live_find_medium; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || panic "The medium of the live system was not found."
		sleep 1
	done
	busybox mount -t squashfs -o ro,loop /run/live/medium/live/tree.squashfs /run/live/tree || panic "The tree can't be mounted."
	mount -t tmpfs -o mode=0755 tmpfs /run/live/changes
	mkdir /run/live/changes/upper /run/live/changes/work
	mount -t overlay -o lowerdir=/run/live/tree,upperdir=/run/live/changes/upper,workdir=/run/live/changes/work overlay "${rootmnt}" || panic "The tree can't be made writable."
	: > "${rootmnt}/etc/fstab"
}
)sh";

std::string field(std::uint64_t number) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08llx", static_cast<unsigned long long>(number));
  return text.data();
}

void pad(std::string& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); }

void append_member(std::string& out, const CpioMember& member, std::uint64_t inode, std::int64_t epoch) {
  out += "070701";
  const std::array<std::uint64_t, 13> fields = {inode,
                                                member.mode,
                                                0,
                                                0,
                                                member.mode == k_directory ? 2U : 1U,
                                                static_cast<std::uint64_t>(epoch),
                                                member.bytes.size(),
                                                0,
                                                0,
                                                0,
                                                0,
                                                member.path.size() + 1,
                                                0};
  for (const std::uint64_t each : fields) out += field(each);
  out += member.path;
  out += '\0';
  pad(out);
  out += member.bytes;
  pad(out);
}

std::string module_name(std::string_view path) {
  std::string name(path.substr(path.rfind('/') + 1));
  name.resize(std::min(name.find(".ko"), name.size()));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// Directories of a path, outermost first, then the file.
void add_file(std::vector<CpioMember>& members, std::set<std::string>& made, const std::string& path,
              std::uint32_t mode, std::string bytes) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (made.insert(path.substr(0, slash)).second) members.push_back({path.substr(0, slash), k_directory});
  }
  members.push_back({path, mode, std::move(bytes)});
}

}  // namespace

std::string cpio_archive(const std::vector<CpioMember>& members, std::int64_t epoch) {
  std::string out;
  std::uint64_t inode = 0;
  for (const CpioMember& member : members) append_member(out, member, ++inode, epoch);
  append_member(out, {"TRAILER!!!", 0}, 0, 0);
  return out;
}

std::vector<std::string> module_closure(std::string_view modules_dep, const std::vector<std::string>& names) {
  std::map<std::string, std::vector<std::string>> needs;  // by path
  std::map<std::string, std::string> paths;               // by name
  for (const std::string& line : split_lines(modules_dep)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string path = line.substr(0, colon);
    needs[path] = split_words(line.substr(colon + 1));
    paths[module_name(path)] = path;
  }
  std::vector<std::string> closure;
  const auto add = [&](const std::string& path) {
    if (std::find(closure.begin(), closure.end(), path) == closure.end()) closure.push_back(path);
  };
  for (const std::string& name : names) {
    const auto found = paths.find(module_name(name));
    if (found == paths.end()) continue;
    const std::vector<std::string>& below = needs[found->second];  // nearest first
    for (auto each = below.rbegin(); each != below.rend(); ++each) add(*each);
    add(found->second);
  }
  return closure;
}

std::string live_ramdisk(const fs::path& tree, const std::string& kernel_version, const std::string& medium_file,
                         std::int64_t epoch) {
  const TreeReader files(tree);
  const std::optional<std::string> busybox = files.read("/bin/busybox");
  if (!files.exists("/usr/share/initramfs-tools/init") || !busybox) {
    throw Error(ErrorKind::unsupported, "a live ISO needs initramfs-tools and busybox in the image")
        .hint("Add them: -p initramfs-tools,busybox");
  }
  std::vector<CpioMember> members;
  std::set<std::string> made;
  const std::string script =
      replace_all(replace_all(k_script, "MODULES", join(live_modules(), " ")), "MEDIUM", medium_file);
  add_file(members, made, "scripts/hearth-live", k_regular_file, script);
  add_file(members, made, "usr/bin/busybox", k_program, *busybox);
  const std::string below = cat("/lib/modules/", kernel_version);
  const std::string target = cat("usr", below, "/");
  const auto read = [&](const std::string& name) {
    if (auto bytes = files.read(cat(below, "/", name))) return std::move(*bytes);
    throw Error(ErrorKind::not_found, cat(below, "/", name, " is not in the image"));
  };
  for (const std::string& name : files.list(below)) {
    if (!name.starts_with("modules.")) continue;
    add_file(members, made, cat(target, name), k_regular_file, read(name));
  }
  for (const std::string& path : module_closure(read("modules.dep"), live_modules())) {
    add_file(members, made, cat(target, path), k_regular_file, read(path));
  }
  return cpio_archive(members, epoch);
}

}  // namespace hearth::builder
