#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/boot/grub.hpp"

namespace hearth::builder {

namespace {

/// A path in the image as GRUB sees it, relative to the file system that holds it.
std::string path_in_file_system(const DiskLayout& layout, const std::string& path) {
  const DiskFileSystem* const holder = layout.holding(path);
  if (holder == nullptr || holder->mount_point == "/") return path;
  return path.substr(holder->mount_point.size());
}

const DiskFileSystem& root_of(const DiskLayout& layout) {
  const DiskFileSystem* const root = layout.mounted_at("/");
  if (root == nullptr) throw Error(ErrorKind::input, "the disk layout mounts no file system at /");
  return *root;
}

/// Linux's name of the root's partition: the GUID of GPT; for an MBR the disk's id and the number, logical ones from 5.
std::string partition_uuid(const DiskLayout& layout) {
  static constexpr std::size_t k_first_logical = 5;
  const DiskFileSystem& root = root_of(layout);
  if (!root.partition) {
    throw Error(ErrorKind::input, "DIB_BOOTLOADER_ROOT=partuuid: the root file system lies on no partition")
        .hint("Use uuid or label.");
  }
  if (layout.table == PartitionTable::gpt) return to_lower(layout.partitions[*root.partition].guid);
  std::size_t number = layout.partitions[*root.partition].primary ? 1 : k_first_logical;
  for (std::size_t i = 0; i < *root.partition; ++i) {
    if (layout.partitions[i].primary == layout.partitions[*root.partition].primary) ++number;
  }
  return cat(to_lower(layout.disk_id), "-", number < 10 ? "0" : "", number);
}

std::string menu_title(std::string_view text) { return cat("'", replace_all(std::string(text), "'", ""), "'"); }

std::string menu_entry(const std::string& title, const DiskLayout& layout, const KernelEntry& kernel,
                       const std::string& command_line, const std::string& indent) {
  std::string text = cat(indent, "menuentry ", menu_title(title), " {\n");
  text += cat(indent, "  linux ", path_in_file_system(layout, kernel.kernel), " ", command_line, "\n");
  if (!kernel.initrd.empty()) text += cat(indent, "  initrd ", path_in_file_system(layout, kernel.initrd), "\n");
  return cat(text, indent, "}\n");
}

}  // namespace

std::string kernel_command_line(const DiskLayout& layout, RootName root) {
  switch (root) {
    case RootName::uuid: return cat("root=UUID=", root_of(layout).uuid, " ro");
    case RootName::label: return cat("root=LABEL=", root_of(layout).label, " ro");
    case RootName::partuuid: return cat("root=PARTUUID=", partition_uuid(layout), " ro");
  }
  return "";
}

std::string full_command_line(const DiskLayout& layout, const BootOptions& options) {
  std::string line = kernel_command_line(layout, options.root);
  for (const std::string& console : options.consoles) line += cat(" console=", console);
  if (!trim(options.extra_command_line).empty()) line += cat(" ", trim(options.extra_command_line));
  return line;
}

std::string grub_config(const DiskLayout& layout, const BootKernels& kernels, const BootOptions& options) {
  const std::string line = full_command_line(layout, options);
  std::string text =
      cat("# Written when the image was made. The kernel is named by the links that its packages keep,\n",
          "# so this file needs no update when a new kernel is installed.\n", "set default=0\n",
          "set timeout=", options.timeout, "\n",
          "if serial --unit=0 --speed=115200; then\n  terminal_input console serial\n",
          "  terminal_output console serial\nfi\n", "search --no-floppy --fs-uuid --set=root ",
          layout.holding("/boot/grub/grub.cfg")->uuid, "\n");
  text += menu_entry(options.title, layout, kernels.current, line, "");
  text += menu_entry(cat(options.title, " (recovery)"), layout, kernels.current, cat(line, " single"), "");
  if (kernels.previous) {
    text += cat("if [ -e ", path_in_file_system(layout, kernels.previous->kernel), " ]; then\n");
    text += menu_entry(cat(options.title, " (previous kernel)"), layout, *kernels.previous, line, "  ");
    text += "fi\n";
  }
  if (firmware_of(layout).uefi) {
    text += "if [ \"$grub_platform\" = efi ]; then\n  menuentry 'Firmware settings' {\n    fwsetup\n  }\nfi\n";
  }
  return text;
}

}  // namespace hearth::builder
