#include "builder/inspect/image_reader.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_drive = "/dev/disk/guestfs/image";

/// Opens everything that can be opened; volumes may lie on each other, so two rounds.
std::string opening_script(const std::vector<fs::path>& keys) {
  std::string script = "exec 2>/dev/null; set +e\numask 077\n";
  std::vector<std::string> files;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key = read_file(keys[i]);
    if (key.ends_with('\n')) {  // as it is typed; first, since each try of a wrong one takes long
      files.push_back(cat("/tmp/key", i, "typed"));
      script += cat("printf '", octal_bytes(key.substr(0, key.size() - 1)), "' > ", files.back(), "\n");
    }
    files.push_back(cat("/tmp/key", i));
    script += cat("printf '", octal_bytes(key), "' > ", files.back(), "\n");
  }
  script += "for round in 1 2; do\n  mdadm --assemble --scan --readonly\n  vgchange -ay\n";
  if (!files.empty()) {
    script +=
        cat("  for dev in $(blkid -t TYPE=crypto_LUKS -o device); do\n    name=luks-$(cryptsetup luksUUID $dev)\n",
            "    [ -e /dev/mapper/$name ] && continue\n    for key in ", join(files, " "),
            "; do\n      cryptsetup open --readonly --key-file $key $dev $name && break\n    done\n  done\n");
  }
  return cat(script, "done\nrm -f /tmp/key*\nudevadm settle\n");
}

/// Device, type, label and UUID of everything that blkid sees on volumes: tab-separated lines.
constexpr const char* k_list_volumes =
    "for dev in $(lvs --noheadings -o lv_path 2>/dev/null) $(ls -d /dev/mapper/luks-* /dev/md/* 2>/dev/null); do\n"
    "  type=$(blkid -p -o value -s TYPE $dev || true); [ -n \"$type\" ] || continue\n"
    "  printf '%s\\t%s\\t%s\\t%s\\n' \"$dev\" \"$type\" \"$(blkid -p -o value -s LABEL $dev || true)\" "
    "\"$(blkid -p -o value -s UUID $dev || true)\"\n"
    "done\n";

std::string mount_options(const std::string& type) {
  if (type == "xfs") return "ro,norecovery,nouuid";
  return type == "btrfs" ? "ro,norecovery" : "ro";
}

bool holds_files(const std::string& type) {
  static const std::vector<std::string> types = {"ext2", "ext3",     "ext4",    "xfs",  "btrfs",
                                                 "vfat", "squashfs", "iso9660", "erofs"};
  return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

void read_by_guest(const fs::path& raw, const ReadImageOptions& options, ImageContents& contents) {
  const std::unique_ptr<Guest> guest = options.start_guest(
      {{.file = raw, .label = "image", .read_only = true, .sector_size = contents.table.sector_size}});
  guest->run(opening_script(options.keys));
  for (const std::string& line : split_lines(guest->run(k_list_volumes))) {
    const std::vector<std::string> words = split(line, '\t');
    if (words.size() != 4) continue;
    contents.parts.push_back({.device = words[0], .extent = {}, .signature = {words[1], words[2], words[3]}});
  }
  for (ImagePart& part : contents.parts) {
    if (!options.files || part.tree || !holds_files(part.signature.type)) continue;
    const std::string device = part.device.starts_with('/') ? part.device : cat(k_drive, part.device);
    guest->mount(device, "/", mount_options(part.signature.type));
    guest->pack("/", [&](int fd) { part.tree = read_archive(fd, device); });
    part.tree->entries.erase("lost+found");  // the file system's own; read_ext() leaves it out, too
    guest->unmount_all();
  }
  guest->close();
}

}  // namespace hearth::builder
