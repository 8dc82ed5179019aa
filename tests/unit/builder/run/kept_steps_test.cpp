#include "builder/run/kept_steps.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

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

/// A report as a build leaves it beside its image.
void report(const fs::path& stem, const std::vector<std::string>& labels) {
  Json steps = Json::array();
  for (const std::string& label : labels)
    steps.push_back({{"step", label}, {"element", "e"}, {"seconds", 1}, {"facts", Json::object()}});
  fs::create_directories(stem.string() + ".d");
  RealFileSystem().write(stem.string() + ".d/steps.json", format_json(Json{{"steps", steps}}), {.mode = 0644});
}

TEST(KeptSteps, APlanForANewNameIsComparedWithTheLastBuildOfTheSameStepsAndSaysSo) {
  const TempDir place = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  BuildPlan plan;
  plan.steps = {{.phase = Phase::root, .name = "10-a", .element = "e"},
                {.phase = Phase::install, .name = "20-b", .element = "e"},
                {.phase = Phase::cleanup, .name = "90-c", .element = "e"}};
  ImageRequest request;
  request.output = place.path() / "image";
  const RealFileSystem files;
  EXPECT_EQ(last_build_like(files, request, plan), fs::path());
  report(place.path() / "other", {"root.d/10-a", "install.d/30-x"});
  EXPECT_EQ(last_build_like(files, request, plan), fs::path()) << "of other steps";
  report(place.path() / "web", {"root.d/10-a", "install.d/20-b", "cleanup.d/80-d"});
  EXPECT_EQ(last_build_like(files, request, plan), place.path() / "web");
  EXPECT_EQ(compared_text(place.path() / "web", request),
            "with the last build of web, which has the same steps: there is none of image here (-o web plans that "
            "image)");
  report(place.path() / "image", {"root.d/10-a"});
  EXPECT_EQ(last_build_like(files, request, plan), request.output) << "its own, whatever that was made of";
  EXPECT_EQ(compared_text(request.output, request), "");
}

}  // namespace
}  // namespace hearth::builder
