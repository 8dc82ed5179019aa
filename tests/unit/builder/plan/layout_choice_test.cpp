#include "builder/plan/layout_choice.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct LayoutChoiceTest : testing::Test {
  LayoutChoiceTest() {
    tree.add("os", "", "operating-system").add("a").add("b");
    request.architecture = "amd64";
  }
  std::string taken() { return layout_config(files, request, tree.plan({"os", "a", "b"})).text; }
  Names idle() {
    Names texts;
    for (const Finding& each : idle_layouts(files, request, tree.plan({"os", "a", "b"})))
      texts.push_back(finding_text(each));
    return texts;
  }
  fakes::MemoryFileSystem files;
  ElementTree tree{files};
  ImageRequest request;
};

TEST_F(LayoutChoiceTest, ALayoutThatAnotherGoesBeforeIsToldWithBothNames) {
  tree.file("b", "block-device-default.yaml", "of b");
  EXPECT_EQ(taken(), "of b");
  EXPECT_THAT(idle(), IsEmpty());
  tree.file("a", "block-device-amd64.yaml", "of a");
  EXPECT_EQ(taken(), "of a");
  EXPECT_THAT(idle(),
              ElementsAre(AllOf(HasSubstr(tree.path("b/block-device-default.yaml").string()),
                                HasSubstr("by the layout of the element a,"), HasSubstr("element-provides of b"))));
}

TEST_F(LayoutChoiceTest, WhoeverGivesOneMeansIt) {
  tree.file("a", "block-device-default.yaml", "of a").file("b", "block-device-default.yaml", "of b");
  request.environment["DIB_BLOCK_DEVICE_CONFIG"] = "- local_loop: {name: given}";
  EXPECT_EQ(taken(), "- local_loop: {name: given}");
  EXPECT_THAT(idle(), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
