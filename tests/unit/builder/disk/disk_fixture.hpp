// A small tree with everything that file systems treat specially, and a way to run the makers where they may mount.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/namespace.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "builder/disk/file_system_maker.hpp"

namespace hearth::builder {

constexpr std::uint64_t k_mib = 1024 * 1024;
constexpr std::int64_t k_epoch = 1'600'000'000;

class DiskFixture : public testing::Test {
 protected:
  SystemClock clock_;
  RealRunner runner_{clock_};
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "disk-");
  RealFileSystem files_;

  /// Only root can give files away; tests of owners skip without it.
  static bool is_root() { return ::geteuid() == 0; }

  void make_tree(const fs::path& tree) {
    for (const char* directory : {"bin", "boot/efi/EFI", "etc", "var/log", "var/empty", "home"}) {
      files_.make_directories(tree / directory, 0755);
    }
    files_.write(tree / "bin/tool", std::string(70000, 't'), {.mode = 04755});
    files_.write(tree / "etc/config", "config\n", {.mode = 0640});
    if (is_root()) {
      ASSERT_EQ(::chown((tree / "etc/config").c_str(), 33, 42), 0);
    }
    files_.write(tree / "boot/kernel", std::string(9000, 'k'), {});
    files_.write(tree / "boot/efi/EFI/loader with a long name.efi", std::string(5000, 'e'), {});
    files_.write(tree / "var/log/messages", "hello\n", {.mode = 0600});
    files_.write(tree / "home/sparse", "x", {});
    fs::resize_file(tree / "home/sparse", 3 * k_mib);
    fs::create_hard_link(tree / "bin/tool", tree / "bin/twin");
    fs::create_symlink("../bin/tool", tree / "etc/link");
    fs::create_symlink("loop", tree / "home/loop");  // which nobody may follow
    for (int i = 0; i < 60; ++i) files_.write(tree / "etc" / cat("file-", i * 7 % 60), cat(i, "\n"), {});
  }

  static void set_times(const fs::path& path, std::int64_t seconds) {
    const std::array<timespec, 2> times = {timespec{seconds, 5}, timespec{seconds, 7}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0) << path;
  }

  /// Runs `body` with the right to mount; its exit code. Skips the test where this machine has no user namespaces.
  int privately(const std::function<int()>& body) {
    try {
      return shell_code(NamespacedProcess::start(body).wait().value_or(Signaled{}));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::external) throw;
      std::fprintf(stderr, "SKIPPED: %s\n", error.story().c_str());
      return 77;
    }
  }

  /// A range of the image as a file of its own.
  fs::path cut(const fs::path& image, const Extent& extent, const std::string& name) {
    fs::path part = work_.path() / name;
    run_checked(runner_,
                {.argv = {"dd", cat("if=", image.string()), cat("of=", part.string()), "bs=4096",
                          cat("skip=", extent.offset / 4096), cat("count=", extent.length / 4096), "conv=sparse"}});
    return part;
  }

  /// Output and errors of a tool, then how it ended.
  std::string tool(const std::vector<std::string>& argv) {
    const CommandResult result =
        runner_.run(Command{.argv = argv, .env = maker_environment(k_epoch), .merge_err = true});
    return cat(result.out, describe(result.status));
  }
};

}  // namespace hearth::builder
