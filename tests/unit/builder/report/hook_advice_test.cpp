#include "builder/report/hook_advice.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::HasSubstr;

TEST(AdviceOnRefusal, NamesWhatToDoByTheLastRefusal) {
  const std::vector<std::string> printed = {"mount: /mnt: failed to setup loop device for x.img.", "Setting up x",
                                            "chattr: Operation not permitted while setting flags on /etc/resolv.conf"};
  EXPECT_THAT(advice_on_refusal(printed), HasSubstr("first boot"));
  EXPECT_THAT(advice_on_refusal({printed.front()}), HasSubstr("mke2fs -d"));
}

TEST(AdviceOnRefusal, KnowsWhatProgramsSay) {
  for (const auto& [line, advice] : std::vector<std::pair<const char*, const char*>>{
           {"losetup: cannot find an unused loop device", "no loop devices"},
           {"mknod: /x: Operation not permitted", "udev"},
           {"chown: changing ownership of '/x': Invalid argument", "--add-subuids"},
           {"/tmp/in_target.d/install.d/5-x: line 2: /proc/sys/vm/swappiness: Read-only file system", "sysctl.d"},
           {"sysctl: setting key \"vm.swappiness\": Read-only file system", "sysctl.d"},
           {"sysctl: permission denied on key \"net.ipv4.ip_forward\"", "sysctl.d"},
           {"Enabling IP forwarding failed: open /proc/sys/net/ipv4/ip_forward: read-only file system", "--record"},
           {"install: cannot change ownership of '/x': Invalid argument", "--add-subuids"},
           {"tar: x: Cannot change ownership to uid 70000, gid 70000: Invalid argument", "--add-subuids"},
           {"chgrp: changing group of '/x': Invalid argument", "--add-subuids"},
           {"iptables v1.8.9 (nf_tables): Could not fetch rule set generation id: Permission denied (you must be root)",
            "packet filters"},
           {"RTNETLINK answers: Operation not permitted", "packet filters"},
           {"Error: Could not process rule: Operation not permitted", "packet filters"},
           {"hwclock: Cannot access the Hardware Clock via any known method.", "faketime"},
           {"modprobe: ERROR: could not insert 'dummy': Operation not permitted", "modules-load.d"},
           {"date: cannot set date: Operation not permitted", "faketime"},
           {"E: The repository 'http://security.debian.org stable/updates InRelease' is not signed.",
            "DIB_DEBIAN_SECURITY_SUBPATH=-security"},
           {"fatal: '/root/src/x' does not appear to be a git repository", "HEARTH_HOST_FILES"},
           {"curl: (37) Couldn't open file /home/me/x", "host-files"},
           {"E: The repository 'http://security.debian.org stable/updates InRelease' is not signed.", "up to"},
           {"mkdir: cannot create directory '/root/.ssh': Read-only file system", "export HOME="},
           {"elements/x/extra-data.d/50-x:3: /home/anna/x: Read-only file system", "export HOME="},
           {"ionice: ioprio_set failed: Operation not permitted", "ionice -c2"},
           {"curl: (7) Failed to connect to localhost port 80 after 0 ms: Couldn't connect to server", "in one hook"},
           {"x: line 3: /dev/tcp/127.0.0.1/8099: Connection refused", "HEARTH_NETWORK=host"},
           {"psql: error: connection to server on socket \"/run/x/.s.PGSQL.5432\" failed: No such file", "in one hook"},
           {"ERROR 2002 (HY000): Can't connect to local server through socket '/run/x.sock' (2)", "in one hook"},
           {"Cannot connect to the Docker daemon at unix:///run/x.sock. Is the docker daemon running?", "in one hook"},
           {"elements/x/extra-data.d/50-x:3: eval_run_d: command not found", "$_LIB"},
           {"50-x: line 3: finalise_base: command not found", "$_LIB"},
           {"chattr: Operation not permitted while setting flags on /x", "that finalise.d sets"},
           {"mount: /x: permission denied.", "tmpfs, overlays and binds"}}) {
    EXPECT_THAT(advice_on_refusal({line}), HasSubstr(advice)) << line;
  }
}

TEST(AdviceOnRefusal, IsSilentOfOtherFailures) {
  for (const char* line :
       {"chown: invalid user: 'x'", "mount: /x: can't find in /etc/fstab.", "",
        "modprobe: FATAL: Module dummy not found in directory /lib/modules/6.1.0-9-amd64",
        "sysctl: cannot stat /proc/sys/net/bridge/bridge-nf-call-iptables: No such file or directory",
        "umount: /mnt: must be superuser to unmount: Operation not permitted", "W: losetup: not found",
        "hwclock: unrecognized option '--x'", "install: invalid option: Invalid argument", "update: cannot set date",
        "mkdir: cannot create directory '/hearth/build.0/mnt/root/.ssh': Read-only file system",
        "50-x: line 3: my_run_d: command not found", "curl: (7) Failed to connect to mirror.example port 80",
        "See /proc/sys/kernel/random/boot_id for the id"}) {
    EXPECT_EQ(advice_on_refusal({line}), "") << line;
  }
}

TEST(AdviceOnRefusal, IsSilentOfWhatWasSaidLongBefore) {
  const std::string refused = "chattr: Operation not permitted while setting flags on /x";
  EXPECT_EQ(advice_on_refusal({refused, "1", "2", "3", "4", "5"}), "");
  EXPECT_THAT(advice_on_refusal({refused, "1", "2", "3", "4"}), HasSubstr("first boot"));
}

}  // namespace
}  // namespace hearth::builder
