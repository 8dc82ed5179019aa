// Root's tests of what an ordinary user with sub-ids may do, on machines that have no such user.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/sys/file.hpp"
#include "base/sys/mount.hpp"
#include "base/sys/process.hpp"
#include "tests/unit/base/in_child.hpp"

namespace hearth {

/// Why root can't play an ordinary user who has sub-ids; empty when it can.
[[nodiscard]] inline std::string no_ordinary_user_because() {
  if (::geteuid() != 0) return "needs root, to give an ordinary user its ranges";
  if (::getpwnam("nobody") == nullptr) return "there is no user nobody";
  if (!find_program("newuidmap", current_environment())) return "newuidmap (package uidmap) is missing";
  return "";
}

/// Runs `body` in a child as the user nobody, to whom this machine seems to have given sub-ids: /etc/subuid and subgid
/// are covered in a mount namespace of the child's own.
template <class Body>
void as_ordinary_user(const Body& body) {
  EXPECT_EQ(in_child([&] {
              const TempDir dir = TempDir::create("/tmp", "hearth-test-");
              RealFileSystem().write(dir.path() / "ids", "nobody:100000:65536\n", {});
              if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
                return 97;
              for (const char* file : {"/etc/subuid", "/etc/subgid"})
                bind_mount(dir.path() / "ids", file, Access::read_write);
              const pid_t user = start_child([&] {
                const passwd* nobody = ::getpwnam("nobody");
                if (::setgroups(0, nullptr) != 0 || ::setgid(nobody->pw_gid) != 0 || ::setuid(nobody->pw_uid) != 0)
                  return 98;
                ::prctl(PR_SET_DUMPABLE, 1);  // setuid() cleared it; then /proc/PID would not be the user's
                body();
                return testing::Test::HasFailure() ? 1 : 0;
              });
              return end_of_child(user);
            }),
            0)
      << "what failed in the child is printed above";
}

}  // namespace hearth
