#include "builder/plan/plan_image.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PlanImageTest : public testing::Test {
 protected:
  PlanImageTest() {
    tree.add("os", "web", "operating-system")
        .add("web", "os")
        .hook("os", "root.d/10-os")
        .hook("web", "install.d/10-web");
    request.elements = {"os"};
  }
  BuildPlan plan() { return plan_image(files, request, tree.path(""), notes); }
  fakes::MemoryFileSystem files;
  ElementTree tree{files};
  ImageRequest request;
  std::vector<std::string> notes;
};

TEST_F(PlanImageTest, ACycleOfElementsIsRefusedOrNotedAsTheRequestWants) {
  request.cycles = Cycles::refuse;
  EXPECT_THAT(story_of([&] { return plan(); }), HasSubstr("element-deps form a cycle"));
  request.cycles = Cycles::accept;
  const BuildPlan made = plan();
  EXPECT_THAT(notes, ElementsAre(HasSubstr("element-deps form a cycle")));
  std::vector<std::string> steps;
  for (const Step& step : made.steps) steps.push_back(step.label());
  EXPECT_THAT(steps, testing::IsSupersetOf({"root.d/10-os", "install.d/10-web"}));
}

TEST_F(PlanImageTest, ElementsThatAreNotThoseOfAnEarlierBuildAreRefused) {
  request.cycles = Cycles::accept;
  request.element_digests = std::map<std::string, std::string>{{"another", "digest"}};
  EXPECT_THAT(story_of([&] { return plan(); }), HasSubstr("the image was made without the element"));
  request.element_digests.reset();
  EXPECT_THAT(story_of([&] { return plan(); }), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
