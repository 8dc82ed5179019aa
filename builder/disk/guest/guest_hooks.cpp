#include "builder/disk/guest/guest_hooks.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

std::string device_of(const DiskLayout& layout, const Placement& placement, const DiskFileSystem& file_system) {
  if (!file_system.volume.empty()) return guest_device(layout, placement, file_system.volume);
  const std::string name = file_system.partition ? layout.partitions[*file_system.partition].name : layout.disk;
  return guest_device(layout, placement, name);
}

/// IMAGE_BLOCK_DEVICES as hooks eval it: " [name]=device " for the disk, its partitions and its volumes.
std::string devices_assignment(const DiskLayout& layout, const Placement& placement) {
  std::vector<std::string> names = {layout.disk};
  for (const Partition& each : layout.partitions) names.push_back(each.name);
  for (const RaidArray& each : layout.volumes.arrays) names.push_back(each.name);
  for (const LuksVolume& each : layout.volumes.encrypted) names.push_back(each.name);
  for (const LogicalVolume& each : layout.volumes.logical) names.push_back(each.name);
  std::string text = "IMAGE_BLOCK_DEVICES=\"";
  for (const std::string& name : names) {
    const std::string device = guest_device(layout, placement, name);
    const bool link = device.starts_with("/dev/disk/guestfs/");  // a name that only this guest has
    text += cat(" [", name, "]=", link ? cat("$(readlink -f ", device, ")") : device, " ");
  }
  return cat(text, "\"\n");
}

std::string environment_words(const Environment& environment) {
  std::vector<std::string> words;
  for (const auto& [name, value] : environment) {
    if (name != "IMAGE_BLOCK_DEVICE" && name != "IMAGE_BLOCK_DEVICES" && name != "TARGET_ROOT") {
      words.push_back(cat(name, "=", value));
    }
  }
  return shell_join(words);
}

constexpr const char* k_kernel_mounts =
    "for name in proc sys dev; do mkdir -p /sysroot/$name; mount --bind /$name /sysroot/$name; done\n"
    "trap 'umount /sysroot/dev /sysroot/sys /sysroot/proc' EXIT\n";

}  // namespace

bool names_block_device(std::string_view script) {
  for (const std::string& line : split_lines(script)) {
    if (!trim(line).starts_with('#') && line.find("IMAGE_BLOCK_DEVICE") != std::string::npos) return true;
  }
  return false;
}

std::string device_hook_script(const DeviceHook& hook, const DiskLayout& layout, const Placement& placement) {
  const std::string root = hook.in_target ? "/sysroot" : "";
  const std::string file = "/tmp/hearth-hook";
  std::string script = hook.in_target ? k_kernel_mounts : "";
  script += cat("mkdir -p ", root, "/tmp\nprintf '", octal_bytes(hook.script), "' > ", root, file, "\nchmod 0755 ",
                root, file, "\n", "IMAGE_BLOCK_DEVICE=$(readlink -f ", guest_device(layout, placement, layout.disk),
                ")\n", devices_assignment(layout, placement));
  const std::string words = cat("env -i ", environment_words(hook.environment),
                                " IMAGE_BLOCK_DEVICE=\"$IMAGE_BLOCK_DEVICE\" "
                                "IMAGE_BLOCK_DEVICES=\"$IMAGE_BLOCK_DEVICES\"",
                                hook.in_target ? " " : " TARGET_ROOT=/sysroot ", file);
  return cat(script, hook.in_target ? "chroot /sysroot " : "", words, "\nrm -f ", root, file, "\n");
}

std::string run_device_hooks(Guest& guest, const std::vector<DeviceHook>& hooks, const DiskLayout& layout,
                             const Placement& placement) {
  if (hooks.empty()) return "";
  std::vector<const DiskFileSystem*> mounts;
  for (const DiskFileSystem& each : layout.file_systems) {
    if (each.holds_files()) mounts.push_back(&each);
  }
  std::sort(mounts.begin(), mounts.end(), [](const auto* a, const auto* b) { return a->mount_point < b->mount_point; });
  for (const DiskFileSystem* const each : mounts) {
    guest.mount(device_of(layout, placement, *each), each->mount_point, "");
  }
  std::string printed;
  for (const DeviceHook& hook : hooks) {
    try {
      printed += guest.run(device_hook_script(hook, layout, placement));
    } catch (Error& error) {
      throw error.during(cat("running ", hook.label, " against the disk"));
    }
  }
  guest.unmount_all();
  return printed;
}

}  // namespace hearth::builder
