#include "builder/fleet/pipeline.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using Stage = PipelineJob::Stage;
using testing::ElementsAre;
using testing::HasSubstr;

FleetImage image(const std::string& name, const std::string& types = "qcow2") {
  FleetImage made;
  made.name = name;
  made.place = "images.yaml:1:3";
  made.request.output = fs::path("/site") / name;
  made.request.formats = parse_formats(types);
  return made;
}

const PipelineSetup k_here{.files = {"images.yaml"}, .directory = "/site"};

std::vector<std::string> lines_of(const std::vector<PipelineJob>& jobs) {
  std::vector<std::string> lines;
  for (const PipelineJob& job : jobs) {
    std::string line = job.name;
    for (const std::size_t need : job.needs) line += " <" + jobs[need].name;
    lines.push_back(line);
  }
  return lines;
}

std::string refusal_of(const std::vector<FleetImage>& images, const PipelineSetup& setup = k_here) {
  try {
    (void)pipeline_jobs(images, StepGraph(std::vector<ImageSteps>(images.size())), setup);
  } catch (const Error& error) {
    return error.story();
  }
  return "";
}

TEST(Pipeline, APrefixThatImagesShareIsOneJobBehindTheShorterOne) {
  const StepGraph graph({{"a", {"r/1", "i/2", "i/a"}, {"1", "2", "a"}},
                         {"b", {"r/1", "i/2", "i/b"}, {"1", "2", "b"}},
                         {"c", {"r/1", "i/c"}, {"1", "c"}},
                         {"d", {"r/d"}, {"d"}}});
  const auto jobs = pipeline_jobs({image("a"), image("b"), image("c"), image("d")}, graph, k_here);
  EXPECT_THAT(lines_of(jobs), ElementsAre("shared-1", "shared-2 <shared-1", "image-a <shared-2", "image-b <shared-2",
                                          "image-c <shared-1", "image-d"));
  EXPECT_THAT(jobs[1].commands, ElementsAre("\"${HEARTH:-hearth}\" image create --only=a --until=i/2 images.yaml"));
  EXPECT_THAT(jobs[3].files, ElementsAre("b.d", "b.qcow2"));
}

TEST(Pipeline, ATestComesBehindItsImageAndPublishingBehindBoth) {
  FleetImage web = image("web", "tar,raw");
  web.checks = "web.checks.yaml";
  web.publish = "pub/web.frames";
  web.request.arguments = {"--sign-key", "site.pem", "os"};
  const auto jobs = pipeline_jobs({web}, StepGraph(std::vector<ImageSteps>(1)), k_here);
  EXPECT_THAT(lines_of(jobs), ElementsAre("image-web", "test-web <image-web", "publish-web <image-web <test-web"));
  EXPECT_THAT(jobs[1].commands, ElementsAre("\"${HEARTH:-hearth}\" image verify web.raw",
                                            HasSubstr("--junit test-web.xml --checks web.checks.yaml web.raw")));
  EXPECT_THAT(jobs[2].commands,
              ElementsAre("\"${HEARTH:-hearth}\" image verify web.raw", "mkdir -p pub",
                          "\"${HEARTH:-hearth}\" image publish --sign site.pem web.raw pub/web.frames"));
}

TEST(Pipeline, RecordingsAreWholeAndComeOneAfterTheOther) {
  std::vector<FleetImage> images = {image("a"), image("b"), image("c")};
  for (FleetImage& each : images) {
    each.request.fetching.mode = fetch::FetchMode::record;
    each.request.fetching.lock = "/site/hearth.lock";
  }
  images[2].request.fetching.mode = fetch::FetchMode::locked;
  const StepGraph graph({{"a", {"r/1"}, {"1"}}, {"b", {"r/1"}, {"1"}}, {"c", {"r/1"}, {"1"}}});
  EXPECT_THAT(lines_of(pipeline_jobs(images, graph, k_here)),
              ElementsAre("image-a", "image-b <image-a", "image-c <image-b"));
}

TEST(Pipeline, NamesOfJobsArePlainAndDoNotMeet) {
  const StepGraph graph(std::vector<ImageSteps>(4));
  const std::string longest(200, 'x');
  const auto jobs = pipeline_jobs({image("web 1"), image("web-1"), image("Web-1"), image(longest)}, graph, k_here);
  EXPECT_THAT(lines_of(jobs), ElementsAre("image-web-1-5bcf3c83", "image-web-1", "image-web-1-34777c0e",
                                          testing::MatchesRegex("image-x{40}-[0-9a-f]{8}")));
}

TEST(Pipeline, TextStaysTextInACommand) {
  const auto jobs =
      pipeline_jobs({image("it's $(X) ${Y} ${{ z }} %{ if a }")}, StepGraph(std::vector<ImageSteps>(1)), k_here);
  EXPECT_THAT(jobs[0].commands.front(),
              HasSubstr(R"('--only=it'\''s $''(X) $''{Y} $''{{ z }} %''{ if a }' images.yaml)"));
}

TEST(Pipeline, WhatNoJobCanHoldIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal_of({image("two\nlines")}), HasSubstr("images.yaml:1:3: image 'two"));
  for (const char* end_of_line : {"\u0085", "\u2028", "\u2029"})
    EXPECT_THAT(refusal_of({image(cat("two", end_of_line, "lines"))}), HasSubstr("has a control character"));
  EXPECT_EQ(refusal_of({image("\u00e4\u00a0\u2027")}), "");
  EXPECT_THAT(refusal_of({image("a")}, {.files = {}, .options = {"--image-cache=a\nb"}}),
              HasSubstr("'--image-cache=a\nb' has a control character"));
  EXPECT_THAT(refusal_of({}), HasSubstr("images.yaml: there are templates, but no image for a job"));
  FleetImage tree = image("tree", "tar");
  tree.checks = "checks.yaml";
  EXPECT_THAT(refusal_of({tree}), HasSubstr("images.yaml:1:3: image 'tree' has 'checks', but no type that is a disk"));
}

TEST(Pipeline, NoTwoJobsWriteOneFile) {
  FleetImage one = image("one", "raw");
  FleetImage two = image("two", "raw");
  one.publish = "pub/site.frames";
  two.publish = "./pub/../pub/site.frames";
  EXPECT_THAT(refusal_of({one, two}),
              HasSubstr("image 'two' writes ./pub/../pub/site.frames, which 'one' (images.yaml"));
  two.publish = "/site/one.raw";
  EXPECT_THAT(refusal_of({one, two}), HasSubstr("image 'two' writes /site/one.raw, which 'one'"));
  two.publish = "pub/two.frames";
  EXPECT_EQ(refusal_of({one, two}), "");
}

}  // namespace
}  // namespace hearth::builder
