#include "bootstrap/why/causes/image_causes.hpp"

#include <gmock/gmock.h>

namespace hearth::bootstrap::why {
namespace {

using testing::Contains;
using testing::HasSubstr;

Json ran(const std::string& step, const std::vector<std::string>& why, double seconds = 1) {
  return {{"step", step}, {"outcome", "ran"}, {"seconds", seconds}, {"why", why}};
}
Json kept(const std::string& step) { return {{"step", step}, {"outcome", "taken"}, {"seconds", 60}}; }

std::vector<Finding> causes(const std::vector<Json>& steps, const Json& unfinished = Json()) {
  Json report = {{"steps", steps}, {"taken", 0}};
  for (const Json& step : steps) {
    if (step["outcome"] == "taken") report["taken"] = report["taken"].get<int>() + 1;
  }
  if (!unfinished.is_null()) report["unfinished"] = unfinished;
  return causes_of(ImageFacts{report, "", "web.d"});
}

TEST(ImageCauses, TheStepThatChangedStandsFirstAndNotWhatRanWithIt) {
  const auto found = causes({kept("root.d/08-a"), ran("root.d/10-b", {"it shares its layer with install.d/50-web"}),
                             ran("install.d/50-web", {"the variable T is new", "install.d/50-web changed"}, 2.5),
                             ran("install.d/60-c", {"it comes after install.d/50-web"}, 4), ran("cleanup.d/1", {})});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, "install.d/50-web ran because it changed; 3 steps ran with it.");
  EXPECT_THAT(found[0].evidence, Contains("the variable T is new"));
  EXPECT_THAT(found[0].evidence, Contains("it took 2.5 s, what ran with it 6.0 s; 1 step was taken from layers"));
  EXPECT_THAT(found[0].next, HasSubstr("where it was meant, nothing"));
}

TEST(ImageCauses, AStepBehindThatHasACauseOfItsOwnIsToldBesides) {
  const auto found = causes({ran("root.d/10-a", {"the variable T is gone (named in x:7)"}),
                             ran("install.d/50-b", {"install.d/50-b changed"}),
                             ran("install.d/60-c", {"it comes after root.d/10-a"})});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].cause, "root.d/10-a ran because the variable T is gone (named in x:7); 1 step ran with it.");
  EXPECT_THAT(found[0].next, HasSubstr("build with the variable as it was"));
  EXPECT_EQ(found[1].cause, "install.d/50-b ran because it changed.");
}

TEST(ImageCauses, TheFirstBuildHasOneCause) {
  const std::string none = "nothing was kept of an earlier build of this image";
  const auto found = causes({ran("root.d/1", {none}), ran("root.d/2", {none}), ran("root.d/3", {none})});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, "root.d/1 ran because " + none + "; 2 steps ran with it.");
  EXPECT_THAT(found[0].next, HasSubstr("nothing: the first build"));
}

TEST(ImageCauses, WhatChangedNothingIsSaidToHaveChangedNothing) {
  const auto found = causes({kept("root.d/1"), ran("cleanup.d/9", {"steps of its phase always run"})});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].cause, HasSubstr("Nothing had changed: 1 step was taken"));
}

TEST(ImageCauses, AFileOfAnElementThatNoStepReadsIsTheCauseWhereNoOtherIs) {
  const Json quick = ran("post-install.d/60-ec", {"it was too quick for a layer of its own"});
  const auto of = [](const std::vector<Json>& steps) {
    return causes_of(ImageFacts{{{"steps", steps}, {"taken", 1}, {"changed_elements", {"ec"}}}, "", "web.d"});
  };
  EXPECT_EQ(of({kept("root.d/1"), quick})[0].cause, "It was made anew because a file of the element ec changed.");
  EXPECT_EQ(of({ran("install.d/5-b", {"install.d/5-b changed"}), quick})[0].cause,
            "install.d/5-b ran because it changed; 1 step ran with it.");
}

TEST(ImageCauses, AStepThatAnotherImagesBuildMadeIsTheOneCauseAndNoReadmeIs) {
  const auto taken = [](const std::string& maker) {
    Json step = kept("install.d/50-web");
    step["changed"] = {"install.d/50-web changed", "the variable T is new"};
    if (!maker.empty()) step["made_by"] = maker;
    return step;
  };
  const auto of = [](const std::vector<Json>& steps) {
    return causes_of(
        ImageFacts{{{"steps", steps}, {"taken", 2}, {"image", "web"}, {"changed_elements", {"ec"}}}, "", "web.d"});
  };
  const auto found = of({kept("root.d/1"), taken("shop"), ran("cleanup.d/9", {"steps of its phase always run"})});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, "install.d/50-web was taken as the build of shop had made it, because it changed.");
  EXPECT_THAT(found[0].evidence, Contains("the variable T is new"));
  EXPECT_THAT(found[0].evidence, Contains("it did not run again; 2 steps were taken from layers"));
  EXPECT_THAT(of({taken("shop"), ran("install.d/60-c", {"it comes after install.d/50-web"}, 4)})[0].cause,
              HasSubstr("because it changed; 1 step ran with it."));
  EXPECT_THAT(of({taken("web")})[0].cause, HasSubstr("was taken as an earlier build of this image had made it"));
  EXPECT_THAT(of({taken("")})[0].cause, HasSubstr("was taken as another build had made it"));
  const auto readme = of({kept("root.d/1")});
  EXPECT_THAT(readme[0].evidence[0], testing::Not(HasSubstr("another image")));
}

TEST(ImageCauses, ABuildThatFailedStandsBeforeTheOneThatIsThere) {
  const auto found = causes({ran("install.d/5-b", {"it is new"})},
                            {{"began", "2026-01-01"}, {"error", "install.d/9 failed\nits log"}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].cause, "The last build (begun 2026-01-01) failed: install.d/9 failed.");
  EXPECT_THAT(found[0].evidence, Contains("its log"));
  EXPECT_THAT(found[0].next, HasSubstr("web.d/build.log"));
  EXPECT_EQ(found[1].cause, "Of the build before: install.d/5-b ran because it is new.");
  const auto network = causes({ran("install.d/5-b", {"it is new"})},
                              {{"began", "2026-01-01"},
                               {"error",
                                "x.d/9 failed: exit code 128\n  | fatal: Could not resolve host: a\n  | again\n  | "
                                "fatal: Could not resolve host: a\n  | giving up\nThe whole log: web.d/build.log"}});
  EXPECT_EQ(network[0].cause,
            "The last build (begun 2026-01-01) failed: x.d/9 failed: exit code 128: fatal: Could not resolve host: a.");
  EXPECT_EQ(network[0].evidence.size(), 4U) << "each line once, and none that stands elsewhere";
  const auto killed = causes_of(ImageFacts{{{"unfinished", {{"began", "2026-01-01"}}}}, "", "web.d"});
  ASSERT_EQ(killed.size(), 1U);
  EXPECT_THAT(killed[0].cause, HasSubstr("has not ended: it runs, or was killed"));
}

}  // namespace
}  // namespace hearth::bootstrap::why
