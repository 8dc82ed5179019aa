// Makes a disk image from a tree, as the builder does it, inside namespaces of its own:
//   disk_image LAYOUT.yaml OUT.qcow2 TREE                 from an existing tree (which is changed)
//   disk_image LAYOUT.yaml OUT.qcow2 --bootstrap MIRROR   from a fresh Debian on a tmpfs
// The raw disk stays beside the output, as OUT.raw.
#include <sys/mount.h>

#include <cstdio>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/namespace.hpp"
#include "base/text.hpp"
#include "builder/boot/grub.hpp"
#include "builder/disk/block_config.hpp"
#include "builder/disk/direct_maker.hpp"
#include "builder/disk/image_size.hpp"
#include "builder/output/image_writer.hpp"

namespace hearth::builder {
namespace {

constexpr std::int64_t k_epoch = 1'700'000'000;

void bootstrap(const fs::path& tree, const std::string& mirror, CommandRunner& runner) {
  run_checked(runner, Command{.argv = {"mmdebstrap", "--mode=root", "--variant=minbase",
                                       "--skip=check/chrooted,setup/proc,setup/sys,setup/dev,check/qemu",
                                       "--include=linux-image-cloud-amd64,systemd-sysv,udev,initramfs-tools",
                                       "bookworm", tree.string(), cat("deb ", mirror, " bookworm main")},
                              .out = Output::inherit,
                              .err = Output::inherit});
}

void make(const fs::path& tree, const std::string& config, const fs::path& target, const fs::path& scratch) {
  SystemClock clock;
  RealRunner runner(clock);
  const LayoutDefaults defaults{.root_options = root_mkfs_options("ext4", 64, std::nullopt, "")};
  const DiskLayout layout =
      assign_ids(parse_block_config(read_file(config), config, defaults).value_or_throw(), "end to end");
  const DirectOptions options{.scratch = scratch, .epoch = k_epoch};
  const BootOptions boot{.timeout = 1, .epoch = k_epoch};
  prepare_tree(tree, layout, k_epoch);
  write_boot_files(tree, layout, boot, scratch, runner);
  const Placement placement = place(layout, image_size(measure_tree(tree), {}, layout));
  require_room(tree, layout, placement);
  const fs::path raw = fs::path(target).replace_extension(".raw");
  make_disk(tree, layout, placement, raw, options, runner);
  install_bios_boot(raw, layout, placement, boot, scratch, runner);
  write_image(raw, {"qcow2", FormatKind::qemu}, target, {}, runner);
}

int run(const std::vector<std::string>& words) {
  SystemClock clock;
  RealRunner runner(clock);
  // AtomicFile hands its file to qemu-img by a path below /proc, which must show this pid namespace.
  if (::mount("proc", "/proc", "proc", 0, nullptr) != 0) throw Error::from_errno("mounting", "/proc");
  const TempDir scratch = TempDir::create(fs::temp_directory_path(), "hearth-e2e-");
  if (words.size() == 3) {
    make(words[2], words[0], words[1], scratch.path());
    return 0;
  }
  if (::mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "mode=755,size=90%") != 0) {
    throw Error::from_errno("mounting a tmpfs on", scratch.path().string());
  }
  bootstrap(scratch.path() / "tree", words.at(3), runner);
  make(scratch.path() / "tree", words[0], words[1], scratch.path());
  ::umount2(scratch.path().c_str(), MNT_DETACH);
  return 0;
}

}  // namespace
}  // namespace hearth::builder

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    std::fputs("usage: disk_image LAYOUT OUT.qcow2 TREE | --bootstrap MIRROR\n", stderr);
    return 2;
  }
  try {
    hearth::NamespacedProcess process =
        hearth::NamespacedProcess::start([&words] { return hearth::builder::run(words); });
    return hearth::shell_code(process.wait().value_or(hearth::Signaled{}));
  } catch (const hearth::Error& error) {
    std::fprintf(stderr, "%s\n", error.story().c_str());
    return error.exit_code();
  }
}
