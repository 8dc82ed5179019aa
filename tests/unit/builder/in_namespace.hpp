// For what only process 1 of its own namespaces may do: mounting, changing the root, killing everything around.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/mount.hpp"
#include "base/sys/namespace.hpp"
#include "tests/unit/base/as_ordinary_user.hpp"

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

/// errno of trying to create a file there; 0 when it worked.
[[nodiscard]] inline int error_of_creating(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

}  // namespace hearth::builder
