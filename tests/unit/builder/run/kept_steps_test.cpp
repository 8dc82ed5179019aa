#include "builder/run/kept_steps.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

TEST(KeptSteps, StepsOfOneReasonAreToldTogether) {
  EXPECT_EQ(kept_steps_text({{"root.d/10-a", true, ""},
                             {"install.d/20-b", false, "the variable A has another value"},
                             {"install.d/30-c", false, "it comes after install.d/20-b, which runs"},
                             {"install.d/40-d", false, "it comes after install.d/20-b, which runs"},
                             {"cleanup.d/50-e", false, "steps of its phase always run"}}),
            "From layers: 1 of 5 steps\n"
            "  runs: install.d/20-b: the variable A has another value\n"
            "  runs: install.d/30-c to install.d/40-d: it comes after install.d/20-b, which runs\n"
            "  runs: cleanup.d/50-e: steps of its phase always run\n");
  EXPECT_EQ(kept_steps_text({{"root.d/10-a", true, ""}}), "From layers: 1 of 1 steps\n");
}

TEST(KeptSteps, OfImagesThatShareNothingTheFirstDifferenceIsNamed) {
  const Facts facts = {
      {"build architecture", "amd64"}, {"build image cache", "/c"}, {"build element", "e"}, {"env A", "1"}};
  const StepKeys web{{"k"}, "root.d/10-a", facts};
  StepKeys other{{"l"}, "root.d/10-a", facts};
  other.first["env A"] = "2";
  other.first["hook root.d/10-a"] = "3";
  EXPECT_EQ(why_apart(other, web, "web"), "root.d/10-a is not that of web: the variable A changed, and 1 more");
  other.first["build architecture"] = "arm64";
  EXPECT_EQ(why_apart(other, web, "web"), "root.d/10-a is not that of web: architecture arm64, not amd64");
  other.first_label = "root.d/11-b";
  EXPECT_EQ(why_apart(other, web, "web"), "it begins with root.d/11-b, web with root.d/10-a");
  EXPECT_EQ(why_apart({}, web, "web"), "of an image for which nothing is kept others can't go on");
}

TEST(KeptSteps, AnImageThatIsUpToDateNamesTheServersThatABuildWouldAskFirst) {
  EXPECT_EQ(up_to_date_text({.outputs = {"/srv/web.tar"},
                             .faults = {"/srv/web.d/sbom.spdx.json is not there"},
                             .servers = {"http://mirror.example/dists/bookworm/InRelease"}}),
            "Up to date, nothing would run: /srv/web.tar\n"
            "  but for evidence: /srv/web.d/sbom.spdx.json is not there\n"
            "  as long as this has not changed: http://mirror.example/dists/bookworm/InRelease\n");
  EXPECT_EQ(up_to_date_text({}), "");
}

}  // namespace
}  // namespace hearth::builder
