#include "builder/hooks/hook_places.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

TEST(HookPlaces, AreTheCallersFiles) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  tree.add("os", "", "operating-system").hook("os", "install.d/50-web").hook("os", "root.d/10-a");
  const BuildPlan plan = tree.plan({"os"});
  const auto told = [&](const std::string& line, const fs::path& start) {
    return with_elements_places(line, plan.hooks, {"/tmp/in_target.d", "/hearth/build.0/hooks"}, start);
  };
  EXPECT_EQ(told("/tmp/in_target.d/install.d/50-web: line 6: x: command not found", dir.path()),
            "elements/os/install.d/50-web:6: x: command not found");
  EXPECT_EQ(told("+ . /hearth/build.0/hooks/root.d/10-a /tmp/in_target.d/install.d/50-web", "/elsewhere"),
            cat("+ . ", (dir.path() / "elements/os/root.d/10-a").string(), " ",
                (dir.path() / "elements/os/install.d/50-web").string()));
  for (const char* none : {"/tmp/in_target.d/install.d/60-other: line 6: x", "/tmp/in_target.d", "line 6:", "",
                           "/tmp/in_target.d/install.d/50-web.d: x"})
    EXPECT_EQ(told(none, dir.path()), none);
}

}  // namespace
}  // namespace hearth::builder
