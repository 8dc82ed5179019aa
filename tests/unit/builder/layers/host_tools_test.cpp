#include "builder/layers/host_tools.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder {
namespace {

TEST(HostTools, ANewVersionOfAToolCountsAndThatOfAnyOtherPackageDoesNot) {
  fakes::MemoryFileSystem files;
  files.make_directories("/etc", 0755);
  files.make_directories("/var/lib/dpkg", 0755);
  const auto tools = [&](const std::string& release, const std::string& git, const std::string& vim) {
    files.write("/etc/os-release", release, {});
    files.write("/var/lib/dpkg/status", "Package: git\nVersion: " + git + "\n\nPackage: vim\nVersion: " + vim + "\n",
                {});
    return host_tools(files);
  };
  const std::string before = tools("12", "1", "1");
  EXPECT_EQ(tools("12", "1", "2"), before);
  EXPECT_NE(tools("12", "2", "1"), before);
  EXPECT_NE(tools("13", "1", "1"), before);
}

}  // namespace
}  // namespace hearth::builder
