#include "builder/plan/volume_tools.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct VolumeToolsTest : testing::Test {
  VolumeToolsTest() {
    tree.add("os", "", "operating-system").add("web", "os").file("web", "README.md", "lvm2 mdadm cryptsetup");
    layout.volumes.logical = {{.name = "lv_root", .group = "vg"}};
  }
  Names missing(const std::vector<std::string>& packages = {}, const Environment& environment = {}) {
    Names texts;
    for (const Finding& each : missing_volume_tools(files, tree.plan({"web"}), packages, environment, layout))
      texts.push_back(finding_text(each));
    return texts;
  }
  fakes::MemoryFileSystem files;
  ElementTree tree{files};
  DiskLayout layout;
};

TEST_F(VolumeToolsTest, WhatAStartingSystemOpensItsVolumesByIsMissedBeforeTheBuild) {
  EXPECT_THAT(missing(), ElementsAre(AllOf(HasSubstr("logical volumes"), HasSubstr("-p lvm2"))));
  layout.volumes.logical.clear();
  EXPECT_THAT(missing(), IsEmpty());
  layout.volumes.encrypted = {{.name = "safe"}};
  layout.further.emplace_back().volumes.arrays = {{.name = "data"}};
  EXPECT_THAT(missing(), ElementsAre(HasSubstr("-p mdadm"), HasSubstr("-p cryptsetup-initramfs")));
}

TEST_F(VolumeToolsTest, WhoeverAsksForItIsEnough) {
  EXPECT_THAT(missing({"vim", "lvm2"}), IsEmpty());
  EXPECT_THAT(missing({}, {{"DIB_DEBOOTSTRAP_EXTRA_ARGS", "--include=lvm2"}}), IsEmpty());
  EXPECT_THAT(missing({}, {{"NOTE", "lvm2"}}), testing::SizeIs(1));
  tree.hook("web", "install.d/50-web", "install-packages lvm2\n");
  EXPECT_THAT(missing(), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
