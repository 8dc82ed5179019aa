#include "builder/target/lent_apt.hpp"

#include <gmock/gmock.h>

#include "base/clock.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "source_directory.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LentAptTest : public testing::Test {
 protected:
  LentAptTest() {
    RealFileSystem files;
    for (const char* name : {"library/apt", "hooks", "target/boot"}) files.make_directories(dir_.path() / name, 0755);
    write("library/apt/apt.conf", "settings;\n");
    write("library/apt/initramfs-placeholder", "later\n");
    write("library/apt/update-initramfs", "#!/bin/sh\n", 0755);
  }
  void write(const std::string& name, const std::string& text, std::uint32_t mode = 0644) {
    RealFileSystem().write(path(name), text, {.mode = mode});
  }
  [[nodiscard]] fs::path path(const std::string& name) const { return dir_.path() / name; }
  void lend() { lend_apt(path("library"), path("hooks")); }

  const TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
};

TEST_F(LentAptTest, LiesBesideTheHooks) {
  lend();
  EXPECT_EQ(read_file(path("hooks/.apt/apt.conf").string()), "settings;\n");
  EXPECT_EQ(RealFileSystem().status(path("hooks/.apt/update-initramfs"))->mode, 0755U);
}

TEST_F(LentAptTest, ARecordedBuildsSettingsHoldAsWell) {
  RealFileSystem().make_directories(path("hooks/.fetch"), 0755);
  write("hooks/.fetch/apt.conf", "proxy;\n");
  lend();
  EXPECT_EQ(read_file(path("hooks/.apt/apt.conf").string()), "settings;\nproxy;\n");
}

TEST_F(LentAptTest, PlaceholdersAreFoundAndNothingElse) {
  lend();
  EXPECT_THAT(deferred_initramfs(path("target"), path("hooks")), IsEmpty());
  write("target/boot/initrd.img-6.1", "later\n");
  write("target/boot/initrd.img-6.2", "whole\n");
  write("target/boot/initrd.img-6.3", "much more than that\n");
  write("target/boot/vmlinuz-6.1", "later\n");
  EXPECT_THAT(deferred_initramfs(path("target"), path("hooks")), ElementsAre("6.1"));
}

TEST_F(LentAptTest, WithoutAPlaceholderOfItsOwnNoEmptyFileIsOne) {
  write("target/boot/initrd.img-6.1", "");
  EXPECT_THAT(deferred_initramfs(path("target"), path("hooks")), IsEmpty());
  RealFileSystem().make_directories(path("none"), 0755);
  lend();
  EXPECT_THAT(deferred_initramfs(path("none"), path("hooks")), IsEmpty());
}

/// The program that is lent, with initramfs-tools of which dpkg says that their trigger is due.
TEST(LentUpdateInitramfs, AllOfSeveralKernelsAreMadeWhenTheTriggerMakesTheNewest) {
  HEARTH_NEEDS_NAMESPACES();
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  files.write(dir.path() / "dpkg-query", "#!/bin/sh\nprintf triggers-pending\n", {.mode = 0755});
  const std::string program = HEARTH_SOURCE_DIR "/elements/.lib/apt/update-initramfs";
  in_namespace([&] {
    for (const char* place : {"/boot", "/usr/sbin"}) mount_file_system("tmpfs", "lent", place, 0, "");
    files.write("/usr/sbin/update-initramfs",
                "#!/bin/sh\necho \"$*\" >> /boot/made\n[ \"$1\" != -c ] || echo whole > \"/boot/initrd.img-$3\"\n"
                "[ \"$1\" != -u ] || echo whole > /boot/initrd.img-6.2\n",
                {.mode = 0755});
    SystemClock clock;
    RealRunner runner(clock);
    const auto call = [&](std::vector<std::string> words) {
      words.insert(words.begin(), program);
      const Environment env{{"PATH", cat(dir.path().string(), ":/usr/bin:/bin")}};
      EXPECT_EQ(runner.run({.argv = words, .env = env, .out = hearth::Output::discard}).status, ExitStatus(Exited{0}));
    };
    for (const char* version : {"6.1", "6.2"}) call({"-c", "-k", version, "-b", "/boot"});
    EXPECT_EQ(files.read("/boot/made"), std::nullopt) << "the trigger is to make it";
    call({"-u"});
    EXPECT_EQ(files.read("/boot/made"), "-u\n-c -k 6.1\n") << "what the hook does after apt may read it";
  });
}

}  // namespace
}  // namespace hearth::builder
