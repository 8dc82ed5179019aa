#include "builder/layers/package_facts.hpp"

#include <gtest/gtest.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

TEST(PackageFacts, EachEntryAndEachNameOfAMapIsOne) {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};
  const auto facts = [&](const std::string& list, const std::string& map) {
    tree.add("os", "", "operating-system").file("os", "package-installs.yaml", list).file("os", "pkg-map", map);
    return package_facts(files, tree.plan({"os"}));
  };
  const Facts before = facts("git:\ncurl:\n", R"({"default": {"git": "git-core less", "none": ""}})");
  for (const char* fact : {"package os/package-installs.yaml git", "package os/package-installs.yaml curl",
                           "package os/pkg-map default.git = git-core", "package os/pkg-map default.git = less",
                           "package os/pkg-map default.none"})
    EXPECT_EQ(before.count(fact), 1U) << fact;
  const Facts now = facts("\n\ngit: {arch: amd64}\ncurl:\n", R"({"default": {"git": "git-core"}})");
  EXPECT_EQ(describe_differences(before, now), (Names{"the package os/package-installs.yaml git changed",
                                                      "the package os/pkg-map default.git = less is gone",
                                                      "the package os/pkg-map default.none is gone"}));
  EXPECT_EQ(facts("git: {arch: amd64}\n\ncurl:\n", R"({"default": {"git": "git-core"}})"), now) << "but for places";
}

}  // namespace
}  // namespace hearth::builder
