// The disk stage: what a build knows and does about disks, from the elements' block-device configuration to the output
// files. Planned (and refused) before the first hook runs; written when the tree is finished.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/process.hpp"
#include "builder/boot/grub.hpp"
#include "builder/disk/block_config.hpp"
#include "builder/disk/guest_hooks.hpp"
#include "builder/disk/image_size.hpp"
#include "builder/disk/maker_choice.hpp"
#include "builder/output/output_set.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/run/hook_environment.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// What writing needs from the build around it.
struct DiskTools {
  CommandRunner& runner;
  Environment environment;  ///< with environment.d sourced: boot loader settings
  /// Does a piece of work as a named step, with progress and timing.
  std::function<void(const std::string& name, const std::function<void()>& work)> step;
  unsigned umask = 022;  ///< the user's, for the output files; the tree's files don't depend on it
  std::function<void(std::string_view)> line = {};    ///< told what a step is about just now
  std::vector<DeviceHook> hooks = {};                 ///< DiskStage::device_hooks() with their environments
  std::function<void(const std::string&)> note = {};  ///< told what people should know of the outputs; may be empty
};

class DiskStage {
 public:
  /// Chooses and checks the configuration: DIB_BLOCK_DEVICE_CONFIG, else the first element's file, else a plain
  /// file-system image. Throws Error(input) with file:line:column, Error(unsupported) for what needs another maker.
  [[nodiscard]] static DiskStage plan(const ImageRequest& request, const BuildPlan& plan);

  [[nodiscard]] DiskFacts facts() const;
  /// Throws Error(unsupported) naming the Debian package of a tool that an output type or the boot loader needs.
  void check_tools(const Environment& environment) const;
  /// Tries what the user or a layout gave for mkfs and qemu-img on an empty file below `scratch`: to be told of a wrong
  /// word before the first hook, not after the last.
  void check_options(CommandRunner& runner, const fs::path& scratch) const;
  /// Throws where something else than an earlier output is in an output's place.
  void check_places() const;
  /// DIB_IMAGE_SIZE as block-device.d sees it.
  [[nodiscard]] std::uint64_t size_kib(const TreeUsage& usage) const;
  /// Writes what DIB_BLOCK_DEVICE_PARAMS_YAML names: the configuration, and how it is used. Into `directory`.
  void write_parameters(const fs::path& directory) const;
  /// Mount points and /etc/fstab in the tree.
  void prepare(const fs::path& root, const Environment& environment) const;
  /// Writes every output type, each appearing complete under its name, those of several disks all at last. Returns
  /// their paths.
  [[nodiscard]] std::vector<fs::path> write(const fs::path& root, const DiskTools& tools) const;

  [[nodiscard]] const DiskLayout& layout() const { return layout_; }
  /// Who makes the disk, and why; nothing when no output type needs one.
  [[nodiscard]] const std::optional<MakerChoice>& maker() const { return maker_; }
  /// All outputs that there are going to be.
  [[nodiscard]] std::vector<fs::path> files() const;
  /// Hooks that run in the guest, against the disk, and so not in their phases: scripts of block-device.d and
  /// finalise.d that name IMAGE_BLOCK_DEVICE, but for those of bootloader and lvm, which get GRUB's programs that need
  /// no disk. Empty when the direct maker makes the disk.
  [[nodiscard]] const std::vector<DeviceHook>& device_hooks() const { return device_hooks_; }
  /// Whether the set holds a `bootloader` that is not ours: its hook runs GRUB's programs in the target.
  [[nodiscard]] bool has_foreign_boot_loader() const { return boot_loader_ == BootLoader::foreign; }
  /// What GRUB's programs would find out from the disk: HEARTH_GRUB_FACTS (elements/.lib/target/grub-probe).
  [[nodiscard]] std::string grub_facts() const;

 private:
  /// All disks that are made, the one with the root first.
  [[nodiscard]] std::vector<const DiskLayout*> disks() const;
  /// What is written of a disk of the layout: with the first all that is made of the tree, too.
  [[nodiscard]] std::vector<Output> outputs_of(const DiskLayout& disk) const;
  [[nodiscard]] std::vector<Output> all_outputs() const;
  struct Outputs {
    const DiskTools& tools;
    FilesTogether* together;                          ///< of several disks: all their images, or none
    std::vector<std::pair<fs::path, fs::path>> kept;  ///< earlier ones: target, its other name
    fs::path evidence = {};                           ///< theirs, beside them; empty where there is none
  };
  void keep_evidence(Outputs& all) const;
  static void take_back(const Outputs& all);
  void settle_what_was(const Outputs& all) const;
  void write_outputs_of(const DiskLayout& disk, const OutputSource& source, Outputs& all) const;
  /// Makes the disks beside the first; returns what is to be written of each.
  [[nodiscard]] std::vector<OutputSource> make_further(const OutputSource& source, const DiskTools& tools) const;
  void make_disk_file(const DiskLayout& layout, const OutputSource& source, const Placement& placement,
                      const fs::path& raw, const DiskTools& tools, std::vector<FilePiece>* left_out) const;
  [[nodiscard]] bool may_leave_out() const;
  void make_raw(OutputSource& source, const DiskTools& tools) const;
  [[nodiscard]] DiskLayout file_system_layout(const std::string& type) const;
  void make_file_system_image(const std::string& type, const OutputSource& source, const fs::path& raw,
                              const DiskTools& tools) const;
  /// Where the earlier output is now; what was kept is added to `all` (target, its other name).
  [[nodiscard]] fs::path keep_old(const Output& output, std::vector<std::pair<fs::path, fs::path>>& all) const;
  [[nodiscard]] OutputSettings output_settings(const OutputSource& source, const DiskTools& tools) const;
  [[nodiscard]] SizeRule size_rule() const;
  enum class BootLoader { none, ours, foreign };
  static BootLoader boot_loader_of(const BuildPlan& plan);
  [[nodiscard]] bool boots_without_disk(const fs::path& root) const;
  [[nodiscard]] BootOptions boot_options(const Environment& env, std::int64_t epoch) const;
  DiskStage(const ImageRequest& request, std::string config, DiskLayout layout, BootLoader boot_loader,
            std::vector<OutputFormat> formats, std::optional<MakerChoice> maker, std::vector<DeviceHook> hooks,
            std::string id_seed)
      : request_(request),
        config_(std::move(config)),
        layout_(std::move(layout)),
        boot_loader_(boot_loader),
        formats_(std::move(formats)),
        maker_(std::move(maker)),
        device_hooks_(std::move(hooks)),
        id_seed_(std::move(id_seed)) {}
  const ImageRequest& request_;
  std::string config_;  ///< the block-device YAML as it was found
  DiskLayout layout_;
  BootLoader boot_loader_;  ///< whose `bootloader` element is in the set
  std::vector<OutputFormat> formats_;
  std::optional<MakerChoice> maker_;
  std::vector<DeviceHook> device_hooks_;
  std::string id_seed_;
};

}  // namespace hearth::builder
