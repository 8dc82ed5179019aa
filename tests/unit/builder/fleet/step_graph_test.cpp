#include "builder/fleet/step_graph.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::ElementsAre;

/// Of three images, the first two go one way for three steps, the third for one.
StepGraph three_images() {
  return StepGraph({{"a", {"r/1", "i/2", "i/3", "i/4a", "c/9"}, {"1", "2", "3", "4a"}},
                    {"b", {"r/1", "i/2", "i/3", "i/4b", "c/9"}, {"1", "2", "3", "4b"}},
                    {"c", {"r/1", "i/5", "c/9"}, {"1", "5"}}});
}

TEST(StepGraph, CountsWhatImagesHaveInCommonFromTheFirstStepOn) {
  const StepGraph graph = three_images();
  EXPECT_EQ(graph.common(0, 1), 3U);
  EXPECT_EQ(graph.common(2, 1), 1U);
  EXPECT_EQ(graph.steps(), 13U);
  EXPECT_EQ(graph.distinct(), 9U);
}

TEST(StepGraph, KnowsWhereOthersGoAnotherWay) {
  const StepGraph graph = three_images();
  EXPECT_THAT(graph.branches(0), ElementsAre("i/3", "r/1"));
  EXPECT_THAT(graph.branches(2), ElementsAre("r/1"));
}

TEST(StepGraph, AnImageGoesOnFromTheEarlierOneThatIsMostLikeIt) {
  const StepGraph graph = three_images();
  EXPECT_FALSE(graph.origin(0));
  EXPECT_EQ(graph.origin(1)->image, 0U);
  EXPECT_EQ(graph.origin(1)->steps, 3U);
  EXPECT_EQ(graph.origin(2)->steps, 1U);
}

TEST(StepGraph, ImagesWithoutKeysHaveNothingInCommon) {
  const StepGraph graph({{"a", {"r/1"}, {}}, {"b", {"r/1"}, {}}});
  EXPECT_EQ(graph.distinct(), 2U);
  EXPECT_TRUE(graph.branches(0).empty());
}

}  // namespace
}  // namespace hearth::builder
