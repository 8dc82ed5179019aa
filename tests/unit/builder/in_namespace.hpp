// For what only process 1 of its own namespaces may do: mounting, changing the root, killing everything around.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/mount.hpp"
#include "base/sys/namespace.hpp"
#include "tests/unit/base/in_child.hpp"

namespace hearth::builder {

/// Runs `body`, expectations and all, as process 1 of new namespaces. Its failures are printed there and fail the
/// caller.
template <class Body>
void in_namespace(const Body& body) {
  NamespacedProcess process = NamespacedProcess::start([&] {
    body();
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(process.wait(), ExitStatus(Exited{0})) << "what failed inside is printed above";
}

/// Why this machine can't run in_namespace(); empty when it can.
[[nodiscard]] inline std::string no_namespaces_because() {
  try {
    (void)NamespacedProcess::start([] { return 0; }).wait();
  } catch (const Error& error) {
    return error.story();
  }
  return "";
}

#define HEARTH_NEEDS_NAMESPACES() \
  if (const std::string why = no_namespaces_because(); !why.empty()) GTEST_SKIP() << "no namespaces here: " << why

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

/// errno of trying to create a file there; 0 when it worked.
[[nodiscard]] inline int error_of_creating(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

}  // namespace hearth::builder
