#include "builder/cache/earlier_build.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

TEST(EarlierBuild, TellsOfItsStepsInWhichLayerEachIsAndWhichOfThoseAreGone) {
  const std::string digest(64, 'a');
  const Json step = {
      {"step", "root.d/10-a"}, {"element", "a"}, {"seconds", 1}, {"facts", {{"env A", "1"}}}, {"layer", digest}};
  const Json quick = {{"step", "install.d/20-b"}, {"element", ""}, {"seconds", 0.1}, {"facts", Json::object()}};
  const Json report = {{"steps", {step, quick}}, {"layers", {digest, 5, "../x"}}, {"base", "one"}};
  const EarlierBuild earlier = earlier_build(report, [](const std::string&) { return false; });
  ASSERT_EQ(earlier.steps.size(), 2U);
  EXPECT_EQ(earlier.find("root.d/10-a")->facts, (Facts{{"env A", "1"}}));
  EXPECT_EQ(earlier.find("root.d/10-b"), nullptr);
  EXPECT_TRUE(earlier.steps[0].is_planned);
  EXPECT_FALSE(earlier.steps[1].is_planned) << "a hook put it there";
  EXPECT_EQ(earlier.gone, std::set<std::string>{digest});
  EXPECT_NE(earlier.why_not_kept(earlier.steps[0], "one").find("it was pruned"), std::string::npos);
  EXPECT_EQ(earlier.why_not_kept(earlier.steps[1], "one"), "it was too quick for a layer of its own");
  EXPECT_NE(earlier.why_not_kept(earlier.steps[0], "two").find("another Hearth"), std::string::npos);
}

TEST(EarlierBuild, OfWhatIsNoReportNothingIsTold) {
  const auto has = [](const std::string&) { return true; };
  EXPECT_TRUE(earlier_build(Json(), has).steps.empty());
  EXPECT_TRUE(earlier_build(Json{{"steps", {{{"step", 5}}}}}, has).steps.empty());
  const EarlierBuild older = earlier_build(
      Json{{"steps", {{{"step", "root.d/1"}, {"element", "a"}, {"seconds", 1}, {"facts", Json::object()}}}}}, has);
  EXPECT_EQ(older.why_not_kept(older.steps.at(0), "one"), "") << "of an older Hearth, which noted no layers";
}

}  // namespace
}  // namespace hearth::builder
