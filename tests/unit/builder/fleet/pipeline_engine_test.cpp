// What real engines make of these texts is in tests/e2e/pipeline.sh.
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "builder/fleet/pipeline.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

/// A shared step, an image behind it, its test.
std::vector<PipelineJob> engine_jobs() {
  using Stage = PipelineJob::Stage;
  return {{.stage = Stage::shared, .name = "shared-1", .about = "r/1 of a\"$(x)\\", .commands = {"one '$''(A)'"}},
          {.stage = Stage::image,
           .name = "image-a",
           .about = "a",
           .commands = {"two"},
           .needs = {0},
           .files = {"out/a.d", "out/a.raw"}},
          {.stage = Stage::test,
           .name = "test-a",
           .about = "a",
           .commands = {"three"},
           .needs = {1},
           .files = {},
           .report = "test-a.xml"}};
}

Json written_for(const std::string& engine, const PipelineSetup& setup = {}) {
  std::string text = pipeline_text(engine, engine_jobs(), setup);
  if (text.starts_with("#")) text.erase(0, text.find('\n'));
  return parse_json(text, engine).value_or_throw();
}

std::string refused(const std::string& engine, const PipelineSetup& setup = {}, const std::string& file = "a.raw") {
  try {
    std::vector<PipelineJob> jobs = engine_jobs();
    jobs[1].files = {file};
    (void)pipeline_text(engine, jobs, setup);
  } catch (const Error& error) {
    return error.story();
  }
  return "";
}

TEST(PipelineEngine, EachHasATitleForPeople) {
  EXPECT_THAT(pipeline_engine_titles(), testing::Contains("GitLab"));
  EXPECT_EQ(pipeline_engine_titles().size(), pipeline_engines().size());
}

TEST(PipelineEngine, MakeGetsTargetsWithDollarsDoubled) {
  const std::string text = pipeline_text("make", engine_jobs(), {});
  EXPECT_THAT(text, HasSubstr("# \"r/1 of a\\\"$(x)\\\\\"\nshared-1:\n\tone '$$''(A)'\n"));
  EXPECT_THAT(text, HasSubstr("image-a: shared-1\n\ttwo\n"));
  EXPECT_THAT(text, HasSubstr(".PHONY: all shared-1 image-a test-a\n"));
}

TEST(PipelineEngine, SlurmSubmitsEachBehindItsNeeds) {
  const std::string text = pipeline_text("slurm", engine_jobs(), {});
  EXPECT_THAT(text, testing::Not(HasSubstr("ELEMENTS_PATH")));
  EXPECT_THAT(pipeline_text("gitlab", engine_jobs(), {.elements_path = "/srv/our\nelements"}),
              HasSubstr("# Jobs need ELEMENTS_PATH, too: a variable of theirs; it was \"/srv/our\\nelements\" when"));
  EXPECT_THAT(text, HasSubstr("submit image-a \":$j1\" 'set -eu\ntwo' \"$@\"\nj2=$id\n"));
  EXPECT_THAT(text, testing::StartsWith("#!/bin/sh\n"));
}

TEST(PipelineEngine, GitLabCarriesImagesToTests) {
  const Json text = written_for("gitlab", {.container = "site/hearth", .runner = "kvm"});
  EXPECT_EQ(text["test-a"]["needs"], (Json{{{"job", "image-a"}, {"artifacts", true}}}));
  EXPECT_EQ(text["image-a"]["needs"], (Json{{{"job", "shared-1"}, {"artifacts", false}}}));
  EXPECT_EQ(text["test-a"]["artifacts"]["reports"]["junit"], "test-a.xml");
  EXPECT_EQ(text["image-a"]["image"], "site/hearth");
  EXPECT_EQ(text["image-a"]["tags"], Json{"kvm"});
}

TEST(PipelineEngine, OfABuildThatFailsTheLogIsKept) {
  EXPECT_EQ(written_for("gitlab")["image-a"]["artifacts"]["when"], "always");
  const Json steps = written_for("github")["jobs"]["image-a"]["steps"];
  const Json& last = steps[steps.size() - 1];
  EXPECT_EQ(last["if"], "failure()");
  EXPECT_EQ(last["with"]["name"], "image-a-log");
  EXPECT_EQ(last["with"]["path"], "out/a.d");
}

TEST(PipelineEngine, GitHubUnpacksWhereTheFilesLay) {
  const Json jobs = written_for("github")["jobs"];
  EXPECT_EQ(jobs["test-a"]["steps"][1]["with"]["path"], "out");
  EXPECT_EQ(jobs["image-a"]["needs"], Json{"shared-1"});
  EXPECT_EQ(jobs["image-a"]["runs-on"], "self-hosted");
}

TEST(PipelineEngine, EnginesWithoutOrderGetOneJobAnImageThatWaitsByMarks) {
  const Json items = written_for("kubernetes", {.container = "site/hearth"})["items"];
  ASSERT_EQ(items.size(), 2);
  const Json& pod = items[1]["spec"]["template"]["spec"];
  EXPECT_EQ(pod["initContainers"][0]["command"][2], "set -eu\n[ -e .hearth-pipeline/shared-1 ] || exit 75\ntwo\n");
  EXPECT_EQ(pod["containers"][0]["name"], "test");
  EXPECT_THAT(items[0]["spec"]["template"]["spec"]["containers"][0]["command"][2].get<std::string>(),
              HasSubstr(": > .hearth-pipeline/shared-1\n"));
  const Json groups = written_for("nomad", {.container = "site/hearth"})["Job"]["TaskGroups"];
  EXPECT_THAT(groups[1]["Tasks"][0]["Config"]["args"][1].get<std::string>(), HasSubstr("two\nset -eu\nthree\n"));
}

TEST(PipelineEngine, NomadsTemplatesLeaveWhatIsForTheShell) {
  const std::vector<PipelineJob> jobs = {{.stage = PipelineJob::Stage::image,
                                          .name = "image-a",
                                          .about = "a",
                                          .commands = {"\"${HEARTH:-hearth}\" '$''{x}'"}}};
  EXPECT_THAT(pipeline_text("nomad", jobs, {.container = "x"}), HasSubstr("\\\"$${HEARTH:-hearth}\\\" '$''{x}'"));
}

TEST(PipelineEngine, WhatAnEngineLacksOrCantCarryIsRefused) {
  EXPECT_THAT(refused("nomda"), HasSubstr("did you mean 'nomad'? Engines: make, slurm"));
  EXPECT_THAT(refused("kubernetes"), HasSubstr("--for kubernetes needs --container"));
  EXPECT_THAT(refused("make", {.container = "x"}), HasSubstr("--for make has no use for --container"));
  EXPECT_THAT(refused("gitlab", {}, "a*.raw"), HasSubstr("can't carry 'a*.raw'"));
  EXPECT_THAT(refused("github", {}, "/srv/a.raw"), HasSubstr("can't carry '/srv/a.raw'"));
  EXPECT_EQ(refused("make", {}, "/srv/a*.raw"), "");
  for (const std::string name : {"a:b", "a\"b", "a<b", "a>b", "a|b", "#a", " a", "a "}) {
    EXPECT_THAT(refused("github", {}, name), HasSubstr("can't carry")) << name;
    EXPECT_EQ(refused("gitlab", {}, name), "") << name;
  }
}

}  // namespace
}  // namespace hearth::builder
