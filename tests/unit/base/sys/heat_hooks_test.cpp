#include "base/sys/heat_hooks.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

class HeatHooksTest : public testing::Test {
 protected:
  void put(const std::string& place, const std::string& text) {
    files_.make_directories((dir_.path() / place).parent_path(), 0755);
    files_.write(dir_.path() / place, text, {});
  }
  [[nodiscard]] bool brings(const std::string& element, const std::string& group) const {
    return brings_hook(files_, dir_.path() / element, group);
  }

  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem files_;
};

TEST_F(HeatHooksTest, AHookIsBroughtAsAFileOrByAScriptThatNamesItsPlace) {
  put("one/static/var/lib/heat-config/hooks/fleet", "#!/bin/sh\n");
  put("two/install.d/50-heat-config-hook-fleet",
      "install -m 0755 $(dirname $0)/hook-fleet.py /usr/libexec/heat-config/hooks/fleet\n");
  put("three/install.d/60-hooks", "for name in fleet other; do install $name /var/lib/heat-config/hooks/$name; done\n");
  for (const char* element : {"one", "two", "three"}) EXPECT_TRUE(brings(element, "fleet")) << element;
  EXPECT_TRUE(brings("three", "other"));
  EXPECT_FALSE(brings("two", "flee"));
  EXPECT_FALSE(brings("two", ""));
}

TEST_F(HeatHooksTest, NeitherAReadmeNorAnotherPlaceBringsOne) {
  put("readme/README.md", "the hook fleet goes to /var/lib/heat-config/hooks/fleet\n");
  put("user/install.d/50-x", "ls /var/lib/heat-config/hooks; echo fleets fleet-two\n");
  put("named/install.d/50-fleet", "echo fleet\n");
  for (const char* element : {"readme", "user", "named", "none"}) EXPECT_FALSE(brings(element, "fleet")) << element;
}

TEST_F(HeatHooksTest, AllElementsOfAPathAreAsked) {
  put("a/x/install.d/50-x", "");
  put("b/y/static/var/lib/heat-config/hooks/fleet", "");
  const std::string path = (dir_.path() / "a").string() + "::" + (dir_.path() / "none").string();
  EXPECT_FALSE(brings_hook_in(files_, path, "fleet"));
  EXPECT_TRUE(brings_hook_in(files_, path + ":" + (dir_.path() / "b").string(), "fleet"));
}

}  // namespace
}  // namespace hearth
