#include "builder/sandbox/sandbox.hpp"

#include <asm/ioctls.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <set>

#include "builder/sandbox/call_filter.hpp"
#include "tests/unit/builder/element_tree.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// Directories of a build, owned by the user who makes them. They lie below /tmp, which the sandbox covers.
class Grounds {
 public:
  Grounds() {
    for (const char* name : {"work", "out", "shims", "start"}) files_.make_directories(dir_.path() / name, 0755);
    files_.write(dir_.path() / "shims/sudo", "#!/bin/sh\n", {.mode = 0755});
  }
  [[nodiscard]] fs::path at(const std::string& name) const { return dir_.path() / name; }
  [[nodiscard]] bool has_mounts_in_tmp() const { return mounts_.find(" /tmp/") != std::string::npos; }
  [[nodiscard]] SandboxSpec spec() const {
    return {
        .work_directory = at("work"), .writable = {at("out")}, .shims = at("shims"), .start_directory = at("start")};
  }

 private:
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem files_;
  std::string mounts_ = read_file("/proc/self/mounts");  ///< other programs' on this machine, too
};

/// What is asked of every sandbox, whoever builds it.
void expect_host_is_safe(const Grounds& grounds) {
  for (const char* directory : {"/etc", "/usr", "/usr/local", "/var/lib"}) {
    EXPECT_EQ(error_of_creating(fs::path(directory) / "hearth-test"), EROFS) << directory;
  }
  EXPECT_EQ(error_of_creating("/hearth/shims/other"), EROFS);
  EXPECT_NE(error_of_creating("/sys/other"), 0);
  EXPECT_FALSE(fs::exists("/.host"));
  // Where something is mounted below /tmp, the kernel has no overlay for it: what is there can only be read.
  const int in_a_copy = grounds.has_mounts_in_tmp() ? EROFS : 0;
  EXPECT_EQ(error_of_creating(grounds.at("start/private")), fs::exists(grounds.at("start")) ? in_a_copy : ENOENT);
  EXPECT_EQ(error_of_creating("/tmp/hearth-test-private"), 0);
  EXPECT_EQ(error_of_creating("/var/tmp/hearth-test-private"), 0);
}

void expect_work_area(const Grounds& grounds) {
  for (const fs::path& path : {k_build_directory, k_image_directory, k_temporary_directory}) {
    EXPECT_EQ(error_of_creating(path / "made"), 0) << path;
  }
  EXPECT_EQ(error_of_creating(grounds.at("out/made")), 0);
  EXPECT_TRUE(fs::exists("/hearth/shims/sudo"));
  EXPECT_EQ(fs::current_path(), grounds.at("start"));
  EXPECT_EQ(fs::temp_directory_path(), k_temporary_directory);
}

void expect_nothing_reached_the_host(const Grounds& grounds) {
  EXPECT_FALSE(fs::exists("/tmp/hearth-test-private"));
  EXPECT_FALSE(fs::exists("/var/tmp/hearth-test-private"));
  EXPECT_FALSE(fs::exists(grounds.at("start/private")));
  EXPECT_TRUE(fs::exists(grounds.at("out/made")));
  EXPECT_TRUE(fs::exists(grounds.at("work/build.0/made")));
  EXPECT_EQ(read_file("/proc/self/mounts").find(grounds.at("").string()), std::string::npos);
}

void expect_harmless_devices(const fs::path& dev) {
  static const std::set<std::string> harmless = {"null", "zero", "full", "random", "urandom", "tty",    "fuse",  "kvm",
                                                 "pts",  "shm",  "ptmx", "fd",     "stdin",   "stdout", "stderr"};
  for (const std::string& name : RealFileSystem().list(dev)) {
    EXPECT_EQ(harmless.count(name), 1U) << name;
    struct stat status {};
    EXPECT_TRUE(::stat((dev / name).c_str(), &status) != 0 || !S_ISBLK(status.st_mode)) << name;
  }
  write_all(Fd::open((dev / "null").string(), O_WRONLY), "x", "null");
  write_all(Fd::open((dev / "shm/x").string(), O_WRONLY | O_CREAT), "x", "shm");
  EXPECT_TRUE(fs::exists(dev / "pts/ptmx"));
}

class SandboxTest : public testing::Test {
 protected:
  void SetUp() override { HEARTH_NEEDS_NAMESPACES(); }
};

TEST_F(SandboxTest, HooksCanWriteToTheWorkAreaAndTheOutputsOnly) {
  const Grounds grounds;
  in_namespace([&] {
    (void)enter_sandbox(grounds.spec());
    expect_host_is_safe(grounds);
    expect_work_area(grounds);
  });
  expect_nothing_reached_the_host(grounds);
}

TEST_F(SandboxTest, AMountSomewhereBelowTmpDoesNotHideTheRest) {
  const Grounds grounds;
  fs::create_directories(grounds.at("mounted"));
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");  // the inner namespaces' maps are written through it
    mount_file_system("tmpfs", "tmpfs", grounds.at("mounted"), 0, "");
    in_namespace([&] {  // here the kernel refuses an overlay over /tmp
      (void)enter_sandbox(grounds.spec());
      EXPECT_EQ(fs::current_path(), grounds.at("start"));
      write_all(Fd::open("/tmp/hearth-test-private", O_WRONLY | O_CREAT), "x", "a new file");
      write_all(Fd::open(grounds.at("out/made").string(), O_WRONLY | O_CREAT), "x", "an output");
    });
  });
  EXPECT_FALSE(fs::exists("/tmp/hearth-test-private"));
  EXPECT_TRUE(fs::exists(grounds.at("out/made")));
}

TEST_F(SandboxTest, AnOrdinaryUserGetsTheSame) {
  if (const std::string why = no_ordinary_user_because(); !why.empty()) GTEST_SKIP() << why;
  as_ordinary_user([] {
    const Grounds grounds;
    in_namespace([&] {
      (void)enter_sandbox(grounds.spec());
      expect_host_is_safe(grounds);
      expect_work_area(grounds);
      expect_harmless_devices("/dev");
      RealFileSystem().write("/hearth/build.0/owned", "", {.uid = 1000, .gid = 65534});
    });
    expect_nothing_reached_the_host(grounds);
    in_namespace([&] { fs::remove_all(grounds.at("work")); });  // what sub-ids own, only root inside can remove
  });
}

TEST_F(SandboxTest, DevHoldsNoDisks) {
  const Grounds grounds;
  in_namespace([&] {
    (void)enter_sandbox(grounds.spec());
    expect_harmless_devices("/dev");
  });
}

TEST_F(SandboxTest, WithoutAWorkDirectoryTheWorkAreaIsATmpfsOfTheGivenSize) {
  const Grounds grounds;
  SandboxSpec spec = grounds.spec();
  spec.work_directory.clear();
  spec.tmpfs_bytes = 8U << 20;
  in_namespace([&] {
    (void)enter_sandbox(spec);
    struct statvfs status {};
    ASSERT_EQ(::statvfs("/hearth/build.0", &status), 0);
    EXPECT_EQ(status.f_blocks * status.f_frsize, spec.tmpfs_bytes);
    EXPECT_EQ(error_of_creating("/hearth/image/made"), 0);
  });
  EXPECT_THAT(RealFileSystem().list(grounds.at("work")), IsEmpty());
}

TEST_F(SandboxTest, WhatHooksReadIsThereWhereverItLies) {
  const Grounds grounds;
  const TempDir hidden = TempDir::create("/dev/shm", "hearth-test-");
  RealFileSystem().write(hidden.path() / "program", "hello", {});
  RealFileSystem().write(hidden.path() / "secret", "not asked for", {});
  SandboxSpec spec = grounds.spec();
  spec.readable = {hidden.path() / "program", grounds.at("start"), "/dev/shm/hearth-test-missing"};
  in_namespace([&] {
    (void)enter_sandbox(spec);
    EXPECT_EQ(read_file(hidden.path() / "program"), "hello");
    EXPECT_EQ(error_of_creating(hidden.path() / "program"), EROFS);
    EXPECT_FALSE(fs::exists(hidden.path() / "secret"));
    expect_harmless_devices("/dev");
  });
}

TEST_F(SandboxTest, NoCapabilityTakesItApart) {
  const Grounds grounds;
  in_namespace([&] {
    (void)enter_sandbox(grounds.spec());
    for (const char* place : {"/etc", "/usr", "/proc/sys", "/sys"}) {
      EXPECT_NE(::mount(nullptr, place, nullptr, MS_REMOUNT | MS_BIND, nullptr), 0) << place;
      EXPECT_NE(::umount2(place, MNT_DETACH), 0) << place;
      EXPECT_NE(error_of_creating(fs::path(place) / "hearth-test"), 0) << place;
    }
    const fs::path elsewhere = "/hearth/tmp/elsewhere";
    fs::create_directory(elsewhere);
    ASSERT_EQ(::mount("/etc", elsewhere.c_str(), nullptr, MS_BIND | MS_REC, nullptr), 0);
    EXPECT_NE(::mount(nullptr, elsewhere.c_str(), nullptr, MS_REMOUNT | MS_BIND, nullptr), 0);
    EXPECT_NE(::mount("/proc", elsewhere.c_str(), nullptr, MS_BIND, nullptr), 0) << "without what covers parts of it";
    EXPECT_NE(::mount("proc", elsewhere.c_str(), "proc", 0, nullptr), 0);
  });
}

TEST_F(SandboxTest, WhatActsOnTheMachineCanNotBeWritten) {
  const Grounds grounds;
  in_namespace([&] {
    (void)enter_sandbox(grounds.spec());
    for (const char* name : {"kernel/core_pattern", "kernel/hostname", "vm/drop_caches"}) {
      EXPECT_EQ(error_of_creating(fs::path("/proc/sys") / name), EROFS) << name;
    }
    EXPECT_NE(error_of_creating("/proc/sysrq-trigger"), 0);
    for (const char* name : {"keys", "kcore", "key-users"}) {
      EXPECT_EQ(RealFileSystem().read(fs::path("/proc") / name).value_or(""), "") << name;
    }
    EXPECT_NE(::unshare(CLONE_NEWCGROUP), 0);
  });
}

TEST_F(SandboxTest, SettingsOfAnOwnNetworkAreTheHooks) {
  const Grounds grounds;
  const std::string setting = "/proc/sys/net/ipv4/ip_forward";
  const std::string machines = read_file(setting);
  for (const bool is_own : {true, false}) {
    SandboxSpec spec = grounds.spec();
    spec.has_own_network = is_own;
    in_namespace([&] {
      const BuilderPlaces places = enter_sandbox(spec);
      ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
      places.open_network_settings();
      const std::string other = read_file(setting) == "1\n" ? "0\n" : "1\n";
      if (is_own) write_all(Fd::open(setting, O_WRONLY), other, setting);
      EXPECT_EQ(read_file(setting) == other, is_own);
      EXPECT_EQ(error_of_creating(setting), is_own ? 0 : EROFS);
      EXPECT_EQ(error_of_creating("/proc/sys/kernel/core_pattern"), EROFS);
      // The kernel has one for all networks.
      if (const char* shared = "/proc/sys/net/netfilter/nf_hooks_lwtunnel"; fs::exists(shared)) {
        EXPECT_EQ(error_of_creating(shared), EROFS);
      }
      if (is_own) {
        EXPECT_EQ(::umount("/proc/sys/net/ipv4"), 0);
      }
      EXPECT_EQ(error_of_creating(setting), EROFS);
    });
  }
  EXPECT_EQ(read_file(setting), machines);
}

TEST_F(SandboxTest, ChildrenCanNotLookIntoItsFirstProcess) {
  const Grounds grounds;
  in_namespace([&] {
    (void)enter_sandbox(grounds.spec());
    SystemClock clock;
    RealRunner runner(clock);
    for (const char* look :
         {"ls /proc/1/root/", "readlink /proc/1/fd/2", "head -c 1 /proc/1/environ", "ls -l /proc/1/ns/"}) {
      EXPECT_FALSE(succeeded(runner.run({.argv = {"/bin/sh", "-c", look}}).status)) << look;
    }
    EXPECT_TRUE(succeeded(runner.run({.argv = {"/bin/ls", "/proc/self/fd"}}).status));
    let_others_look();
    EXPECT_TRUE(succeeded(runner.run({.argv = {"/bin/sh", "-c", "readlink /proc/1/fd/2"}}).status));
  });
}

TEST_F(SandboxTest, SystemCallsThatReachTheKernelAreRefused) {
  const Grounds grounds;
  in_namespace([&] {
    (void)enter_sandbox(grounds.spec());
    const auto error_of = [](long call, long first = 0, long second = 0) {
      return ::syscall(call, first, second, 0, 0, 0) < 0 ? errno : 0;
    };
    for (const long call : {SYS_bpf, SYS_perf_event_open, SYS_kexec_load, SYS_finit_module, SYS_open_by_handle_at}) {
      EXPECT_EQ(error_of(call), EPERM) << call;
    }
    for (const long call : {SYS_keyctl, SYS_add_key, SYS_userfaultfd, SYS_io_uring_setup}) {
      EXPECT_EQ(error_of(call), ENOSYS) << call;
    }
    EXPECT_EQ(error_of(SYS_ioctl, 0, TIOCSTI), EPERM);
    EXPECT_EQ(error_of(SYS_ioctl, 0, (1L << 32) | TIOCSTI), EPERM) << "the kernel looks at the low half only";
    EXPECT_NE(error_of(SYS_ioctl, 0, TCGETS), EPERM);
    EXPECT_EQ(error_of(SYS_socket, AF_VSOCK, SOCK_STREAM), EAFNOSUPPORT);
    EXPECT_EQ(error_of(SYS_socket, AF_UNIX, SOCK_STREAM), 0);
  });
}

TEST_F(SandboxTest, HomesAreHiddenButForWhatIsDeclared) {
  const Grounds grounds;
  RealFileSystem files;
  const fs::path home = grounds.at("home");
  for (const char* name : {"project/elements", ".ssh", "out"}) files.make_directories(home / name, 0755);
  for (const char* name : {"project/secret", "project/elements/hook", ".ssh/id_rsa", ".ssh/id_rsa.pub"}) {
    files.write(home / name, "x", {});
  }
  SandboxSpec spec = grounds.spec();
  spec.homes = {home};
  spec.readable = {home / "project/elements", home / ".ssh/id_rsa.pub", home};
  spec.writable.push_back(home / "out");
  spec.start_directory = home;
  in_namespace([&] {
    (void)enter_sandbox(spec);
    EXPECT_EQ(fs::current_path(), home);
    EXPECT_EQ(files.read(home / "project/elements/hook"), "x");
    EXPECT_EQ(files.read(home / ".ssh/id_rsa.pub"), "x");
    EXPECT_EQ(files.read(home / ".ssh/id_rsa"), std::nullopt);
    EXPECT_EQ(files.read(home / "project/secret"), std::nullopt);
    EXPECT_EQ(error_of_creating(home / ".bashrc"), EROFS);
    EXPECT_EQ(error_of_creating(home / "out/image"), 0);
    EXPECT_NE(::umount2(home.c_str(), MNT_DETACH), 0);
  });
  EXPECT_TRUE(fs::exists(home / "out/image"));
}

TEST_F(SandboxTest, AHomeInTheOutputDirectoryIsHiddenToo) {
  const Grounds grounds;
  RealFileSystem files;
  files.make_directories(grounds.at("out/home"), 0755);
  files.write(grounds.at("out/home/secret"), "x", {});
  SandboxSpec spec = grounds.spec();
  spec.homes = {grounds.at("out/home")};
  in_namespace([&] {
    (void)enter_sandbox(spec);
    EXPECT_EQ(files.read(grounds.at("out/home/secret")), std::nullopt);
    EXPECT_EQ(error_of_creating(grounds.at("out/home/.bashrc")), EROFS);
    EXPECT_EQ(error_of_creating(grounds.at("out/made")), 0);
  });
}

TEST_F(SandboxTest, OfAHomeThatTakesTheOutputTheSettingsAreHidden) {
  const Grounds grounds;
  RealFileSystem files;
  files.make_directories(grounds.at("home/.ssh"), 0755);
  files.write(grounds.at("home/.ssh/id_rsa"), "x", {});
  files.write(grounds.at("home/.netrc"), "x", {});
  SandboxSpec spec = grounds.spec();
  spec.homes = {grounds.at("home")};
  spec.writable.push_back(grounds.at("home"));
  in_namespace([&] {
    (void)enter_sandbox(spec);
    EXPECT_EQ(files.read(grounds.at("home/.ssh/id_rsa")), std::nullopt);
    EXPECT_EQ(files.read(grounds.at("home/.netrc")).value_or(""), "");
    EXPECT_EQ(error_of_creating(grounds.at("home/.netrc")), EROFS);
    EXPECT_EQ(error_of_creating(grounds.at("home/image.qcow2")), 0);
  });
}

/// What is done in the copy, and what then is at the real place, also where the kernel has no overlay for it.
void expect_a_copy_of_the_outputs(const Grounds& grounds) {
  RealFileSystem files;
  SandboxSpec spec = grounds.spec();
  spec.writable = {grounds.at("out/cache")};
  spec.output = grounds.at("out");
  spec.image = "web";
  spec.closed = {grounds.at("out/cache/closed")};
  const BuilderPlaces places = enter_sandbox(spec);
  EXPECT_EQ(files.read(grounds.at("out/other.tar")), "another image");
  EXPECT_EQ(error_of_creating(grounds.at("out/web.initrd")), 0);
  EXPECT_EQ(error_of_creating(grounds.at("out/web.d/manifest")), 0);
  EXPECT_EQ(error_of_creating(grounds.at("out/cache/download")), 0);
  EXPECT_TRUE(files.list(grounds.at("out/cache/closed")).empty());
  for (const char* cover : {"out", "out/cache", "out/cache/closed"}) {
    EXPECT_EQ(::umount2(grounds.at(cover).c_str(), MNT_DETACH), -1) << cover;
  }
  EXPECT_EQ(::umount2("/.builder", MNT_DETACH), -1);
  EXPECT_TRUE(files.list("/.builder").empty());
  EXPECT_TRUE(fs::exists(places.written_by_hooks() / "web.initrd"));
  EXPECT_EQ(files.read(places.way_to(grounds.at("out/cache/closed")) / "layer"), "kept");
  places.show();
  EXPECT_FALSE(fs::exists(grounds.at("out/web.initrd")));
  EXPECT_EQ(files.read(grounds.at("out/cache/closed/layer")), "kept");
  files.write(grounds.at("out/web.tar"), "made", {});
}

class OutputsTest : public SandboxTest {
 protected:
  OutputsTest() {
    RealFileSystem files;
    files.make_directories(grounds_.at("out/cache/closed"), 0755);
    files.write(grounds_.at("out/cache/closed/layer"), "kept", {});
    files.write(grounds_.at("out/other.tar"), "another image", {});
    files.write(grounds_.at("out/web.initrd.old"), "", {});
    files.make_directories(grounds_.at("out/web.d"), 0755);
  }
  Grounds grounds_;
};

TEST_F(OutputsTest, HooksWriteToACopyAndTheBuilderToTheRealPlaceWhenTheyAreDone) {
  in_namespace([&] { expect_a_copy_of_the_outputs(grounds_); });
  EXPECT_EQ(RealFileSystem().list(grounds_.at("out")),
            (std::vector<std::string>{"cache", "other.tar", "web.d", "web.initrd.old", "web.tar"}));
  EXPECT_TRUE(fs::exists(grounds_.at("out/cache/download")));
}

TEST_F(OutputsTest, TheSameWhereSomethingIsMountedBesideThem) {
  fs::create_directories(grounds_.at("out/mounted"));
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    mount_file_system("tmpfs", "tmpfs", grounds_.at("out/mounted"), 0, "");
    in_namespace([&] { expect_a_copy_of_the_outputs(grounds_); });
  });
  EXPECT_TRUE(fs::exists(grounds_.at("out/web.tar")));
  EXPECT_FALSE(fs::exists(grounds_.at("out/web.initrd")));
}

TEST_F(SandboxTest, SecretsOfTheSystemAreHidden) {
  const Grounds grounds;
  for (const char* output : {"", "/etc"}) {
    SandboxSpec spec = grounds.spec();
    spec.output = output;
    spec.image = "web";
    in_namespace([&] {
      (void)enter_sandbox(spec);
      EXPECT_EQ(RealFileSystem().read("/etc/shadow").value_or(""), "") << output;
      EXPECT_NE(RealFileSystem().read("/etc/passwd").value_or(""), "");
    });
  }
}

/// sync(1) calls fsync(2), which a device without memory has no use for.
TEST_F(SandboxTest, ProgramsSyncNothingWhereNothingIsToSurviveAndThisProcessStillDoes) {
  const Grounds grounds;
  in_namespace([&] {
    (void)enter_sandbox(grounds.spec());
    const SystemClock clock;
    RealRunner runner(clock);
    UnsyncedRunner programs(runner);
    const Command sync{.argv = {"sync", "/dev/null"}, .env = Environment{{"PATH", "/usr/bin:/bin"}}};
    EXPECT_EQ(programs.run(sync).status, ExitStatus(Exited{0}));
    EXPECT_EQ(programs.run({.argv = {"sh", "-c", "exit 3"}}).status, ExitStatus(Exited{3}));
    EXPECT_EQ(runner.run(sync).status, ExitStatus(Exited{1})) << "it was not told that /dev/null can't be synced";
    const Fd null = Fd::open("/dev/null", O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(::fsync(null.get()), -1);
    EXPECT_THROW((void)programs.run({.argv = {"/nowhere/program"}}), Error);
  });
}

TEST_F(SandboxTest, KeysLookEmptyWhereHooksMayWriteToo) {
  const Grounds grounds;
  const fs::path key = grounds.at("out/key.pem");
  RealFileSystem().write(key, "secret", {});
  SandboxSpec spec = grounds.spec();
  spec.keys = {key, grounds.at("out/missing.pem")};
  in_namespace([&] {
    (void)enter_sandbox(spec);
    EXPECT_EQ(RealFileSystem().read(key), "");
    EXPECT_EQ(::umount2(key.c_str(), MNT_DETACH), -1);
    EXPECT_EQ(::rename(key.c_str(), grounds.at("out/moved").c_str()), -1);
    EXPECT_EQ(::link(key.c_str(), grounds.at("out/linked").c_str()), -1);
  });
  EXPECT_EQ(RealFileSystem().read(key), "secret");
}

TEST_F(SandboxTest, AClosedDirectoryIsTheBuildersAlone) {
  const Grounds grounds;
  const RealFileSystem files;
  fs::create_directories(grounds.at("out/closed"));
  RealFileSystem().write(grounds.at("out/closed/layer"), "kept", {});
  SandboxSpec spec = grounds.spec();
  spec.closed = {grounds.at("out/closed")};
  in_namespace([&] {
    const BuilderPlaces places = enter_sandbox(spec);
    const fs::path closed = places.way_to(grounds.at("out/closed"));
    EXPECT_EQ(files.read(closed / "layer"), "kept");
    RealFileSystem().write(closed / "new", "made", {});
    EXPECT_TRUE(files.list(grounds.at("out/closed")).empty());
    EXPECT_EQ(error_of_creating(grounds.at("out/closed/hook")), EROFS);
    EXPECT_EQ(::umount2(grounds.at("out/closed").c_str(), MNT_DETACH), -1);
    EXPECT_EQ(::rename(grounds.at("out/closed").c_str(), grounds.at("out/moved").c_str()), -1);
    EXPECT_EQ(error_of_creating(grounds.at("out/beside")), 0);
  });
  EXPECT_EQ(files.list(grounds.at("out/closed")), (Names{"layer", "new"}));
}

TEST_F(SandboxTest, ItsProcShowsItsProcessesOnly) {
  const Grounds grounds;
  in_namespace([&] {
    (void)enter_sandbox(grounds.spec());
    EXPECT_EQ(fs::read_symlink("/proc/self"), "1");
  });
}

TEST_F(SandboxTest, WhatIsMissingIsNamed) {
  const Grounds grounds;
  SandboxSpec spec = grounds.spec();
  spec.start_directory = "/missing/start";
  in_namespace([&] {
    EXPECT_THAT(story_of([&] {
                  (void)enter_sandbox(spec);
                  return 0;
                }),
                AllOf(HasSubstr("/missing/start"), HasSubstr("while setting up the sandbox")));
  });
}

/// Mount points below a target.
Names mounts_below(const fs::path& root) {
  return mount_points_below(read_file("/proc/self/mountinfo"), root.string());
}

TEST_F(SandboxTest, TheTargetGetsProcSysAndAHarmlessDev) {
  const TempDir root = TempDir::create("/tmp", "hearth-test-");
  in_namespace([&] {
    const TargetMounts mounts(root.path());
    EXPECT_TRUE(fs::exists(root.path() / "proc/1/status"));
    EXPECT_TRUE(fs::exists(root.path() / "sys/kernel"));
    EXPECT_NE(error_of_creating(root.path() / "sys/other"), 0);
    expect_harmless_devices(root.path() / "dev");
  });
  EXPECT_THAT(RealFileSystem().list(root.path() / "dev"), IsEmpty());  // nothing was made in the tree itself
}

TEST_F(SandboxTest, TheTargetsMountsGoWithWhatHooksMountedThere) {
  const TempDir root = TempDir::create("/tmp", "hearth-test-");
  in_namespace([&] {
    fs::create_directories(root.path() / "var/cache with blank");
    {
      const TargetMounts mounts(root.path());
      mount_file_system("tmpfs", "tmpfs", root.path() / "var/cache with blank", 0, "");
      EXPECT_THAT(mounts_below(root.path()), Contains((root.path() / "var/cache with blank").string()));
    }
    EXPECT_THAT(mounts_below(root.path()), IsEmpty());
  });
}

TEST_F(SandboxTest, UnmountingTwiceDoesNoHarm) {
  const TempDir root = TempDir::create("/tmp", "hearth-test-");
  in_namespace([&] {
    TargetMounts mounts(root.path());
    mounts.unmount();
    EXPECT_THAT(mounts_below(root.path()), IsEmpty());
  });
}

TEST_F(SandboxTest, TheTargetSeesTheHooksReadOnlyAndLosesThemAgain) {
  const TempDir root = TempDir::create("/tmp", "hearth-test-");
  const TempDir hooks = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem().write(hooks.path() / "hook", "hello", {});
  in_namespace([&] {
    {
      const TargetHooks lent(root.path(), hooks.path());
      EXPECT_EQ(read_file(root.path() / "tmp/in_target.d/hook"), "hello");
      EXPECT_EQ(error_of_creating(root.path() / "tmp/in_target.d/other"), EROFS);
      EXPECT_EQ(error_of_creating(hooks.path() / "other"), 0);  // host hooks may still add some
      EXPECT_TRUE(fs::exists(root.path() / "tmp/in_target.d/other"));
    }
    EXPECT_FALSE(fs::exists(root.path() / "tmp/in_target.d"));
  });
  EXPECT_EQ(read_file(hooks.path() / "hook"), "hello");
}

}  // namespace
}  // namespace hearth::builder
