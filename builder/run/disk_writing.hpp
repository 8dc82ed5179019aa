// From the finished tree to the output files, as the disk was planned.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/boot/grub.hpp"
#include "builder/plan/disk_plan.hpp"

namespace hearth::builder {

/// What writing needs from the build around it.
struct DiskTools {
  CommandRunner& runner;
  Environment environment;  ///< with environment.d sourced: boot loader settings
  /// Does a piece of work as a named step, with progress and timing.
  std::function<void(const std::string& name, const std::function<void()>& work)> step;
  unsigned umask = 022;  ///< the user's, for the output files; the tree's files don't depend on it
  std::function<void(std::string_view)> line = {};    ///< told what a step is about just now
  std::vector<DeviceHook> hooks = {};                 ///< DiskPlan::device_hooks with their environments
  std::function<void(const std::string&)> note = {};  ///< told what people should know of the outputs; may be empty
};

/// Writes every output, each appearing complete under its name, those of several disks all at last. Returns their
/// paths.
[[nodiscard]] std::vector<fs::path> write_disk(const DiskPlan& disk, const ImageRequest& request, const fs::path& root,
                                               const DiskTools& tools);

/// Writes what DIB_BLOCK_DEVICE_PARAMS_YAML names: the configuration, and how it is used. Into `directory`.
void write_parameters(const DiskPlan& disk, const ImageRequest& request, const fs::path& directory);
/// Mount points and /etc/fstab in the tree.
void prepare_disk_tree(const DiskPlan& disk, const fs::path& root, const Environment& environment);
[[nodiscard]] BootOptions boot_options(const DiskPlan& disk, const Environment& environment, std::int64_t epoch);

}  // namespace hearth::builder
