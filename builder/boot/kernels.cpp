#include "builder/boot/kernels.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "builder/boot/boot_tree.hpp"

namespace hearth::builder {

namespace {

bool boot_is_separate(const DiskLayout& layout) { return layout.mounted_at("/boot") != nullptr; }

/// Links named vmlinuz and initrd.img in `directory` ("/" or "/boot/").
std::optional<BootKernels> linked(const TreeReader& tree, const std::string& directory) {
  if (!tree.link_text(cat(directory, "vmlinuz"))) return std::nullopt;
  const bool ramdisk = tree.link_text(cat(directory, "initrd.img")).has_value();
  const auto entry = [&](const char* suffix) {
    return KernelEntry{cat(directory, "vmlinuz", suffix),
                       ramdisk ? cat(directory, "initrd.img", suffix) : std::string()};
  };
  return BootKernels{entry(""), entry(".old")};
}

/// The ramdisk that belongs to a kernel version, by the names that distributions use.
std::string ramdisk_for(const TreeReader& tree, const std::string& version) {
  for (const std::string& name :
       {cat("initrd.img-", version), cat("initramfs-", version, ".img"), cat("initrd-", version)}) {
    if (tree.exists(cat("/boot/", name))) return cat("/boot/", name);
  }
  return "";
}

std::optional<BootKernels> newest_file(const TreeReader& tree) {
  std::vector<std::string> versions;
  for (const std::string& name : tree.list("boot")) {
    if (name.starts_with("vmlinuz-") && !tree.link_text(cat("boot/", name))) versions.push_back(name.substr(8));
  }
  if (versions.empty()) return std::nullopt;
  std::sort(versions.begin(), versions.end(), version_less);
  const auto entry = [&tree](const std::string& version) {
    return KernelEntry{cat("/boot/vmlinuz-", version), ramdisk_for(tree, version)};
  };
  BootKernels kernels{entry(versions.back()), std::nullopt};
  if (versions.size() > 1) kernels.previous = entry(versions[versions.size() - 2]);
  return kernels;
}

/// A link's new text when it moves from "/" into /boot.
std::optional<std::string> target_in_boot(const TreeReader& tree, const std::string& link) {
  const std::string target = tree.link_text(link).value_or("");
  for (const std::string_view lead : {"/boot/", "boot/"}) {
    if (target.starts_with(lead)) return target.substr(lead.size());
  }
  return std::nullopt;
}

void keep_links_in_boot(const fs::path& tree, std::int64_t epoch) {
  std::string text;
  for (const std::string& line : split_lines(TreeReader(tree).read("etc/kernel-img.conf").value_or(""))) {
    if (!trim(line).starts_with("link_in_boot")) text += cat(line, "\n");
  }
  const fs::path path = make_directories_in_tree(tree, "etc") / "kernel-img.conf";
  RealFileSystem().write(path, cat(text, "link_in_boot = yes\n"), {.mode = 0644, .uid = 0, .gid = 0});
  stamp_time(path, epoch);
}

}  // namespace

bool version_less(const std::string& a, const std::string& b) {
  // glibc's strverscmp treats leading zeros as fractions, which no kernel version has.
  return ::strverscmp(a.c_str(), b.c_str()) < 0;
}

void move_kernel_links(const fs::path& tree, const DiskLayout& layout, std::int64_t epoch) {
  const DiskFileSystem* const boot = layout.mounted_at("/boot");
  if (boot == nullptr || boot->is_fat()) return;
  const TreeReader files(tree);
  bool moved = false;
  for (const char* name : {"vmlinuz", "vmlinuz.old", "initrd.img", "initrd.img.old"}) {
    const std::optional<std::string> target = target_in_boot(files, name);
    if (!target || files.link_text(cat("boot/", name))) continue;
    const fs::path moved_link = make_directories_in_tree(tree, "boot") / name;
    fs::create_symlink(*target, moved_link);
    fs::remove(GuestPath(cat("/", name)).in(tree));  // a name of the tree's own root
    stamp_time(moved_link, epoch);
    moved = true;
  }
  if (moved) keep_links_in_boot(tree, epoch);
}

namespace {

std::optional<BootKernels> look_for_kernels(const fs::path& root, const DiskLayout& layout) {
  const TreeReader tree(root);
  std::optional<BootKernels> found;
  const DiskFileSystem* const boot = layout.mounted_at("/boot");
  if (boot == nullptr || !boot->is_fat()) {
    if (!boot_is_separate(layout)) found = linked(tree, "/");
    if (!found) found = linked(tree, "/boot/");
  }
  if (!found) found = newest_file(tree);
  return found;
}

}  // namespace

bool has_kernel(const fs::path& tree, const DiskLayout& layout) { return look_for_kernels(tree, layout).has_value(); }

BootKernels find_kernels(const fs::path& tree, const DiskLayout& layout) {
  if (const std::optional<BootKernels> found = look_for_kernels(tree, layout)) return *found;
  throw Error(ErrorKind::not_found, "the tree holds no kernel (neither /vmlinuz nor /boot/vmlinuz-*)")
      .hint("Add an element or a package that installs one, such as linux-image-cloud-amd64.");
}

}  // namespace hearth::builder
