#include "builder/described_images.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

class DescribedImagesTest : public testing::Test {
 protected:
  std::vector<FleetImage> images(const std::string& text) {
    files_.write(dir_.path() / "images.yaml", text, {});
    described_.files = {"images.yaml"};
    described_.start_directory = dir_.path();
    return described_images(described_);
  }
  std::string refusal(const std::string& text) {
    try {
      (void)images(text);
      return "";
    } catch (const Error& error) {
      return error.story();
    }
  }
  std::string refusal_of_options(const std::string& options) {
    return refusal(cat("- {imagename: x, elements: [os], options: ", options, "}\n"));
  }
  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files_;
  DescribedBuild described_;
};

TEST_F(DescribedImagesTest, EachImageHasItsEnvironmentAndTheCallers) {
  described_.environment = {{"MINE", "kept"}};
  const auto all = images(
      "- {imagename: one, elements: [os], environment: {DIB_X: '1'}}\n"
      "- {imagename: two, elements: [os]}\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].request.environment, (Environment{{"DIB_X", "1"}, {"MINE", "kept"}}));
  EXPECT_EQ(all[1].request.environment, (Environment{{"MINE", "kept"}}));
  EXPECT_EQ(all[1].place, "images.yaml:2:3");
  EXPECT_EQ(all[1].command_line, "disk-image-create -o two os");
}

TEST_F(DescribedImagesTest, WhereLayersAreSharedIsNoMatterOfAFileOfImages) {
  EXPECT_THAT(
      refusal_of_options("[--remote-cache, 'http://127.0.0.1/x']"),
      testing::AllOf(HasSubstr("image 'x': --remote-cache is a matter of the machine"), HasSubstr("hearth.conf")));
  EXPECT_THAT(refusal("- {imagename: x, elements: [os], environment: {HEARTH_REMOTE_CACHE_INSECURE: 1}}\n"),
              HasSubstr("HEARTH_REMOTE_CACHE_INSECURE is a matter of the machine"));
}

TEST_F(DescribedImagesTest, WhatIsWrongWithOneImageIsSaidBeforeAnyIsBuilt) {
  EXPECT_THAT(refusal("- {imagename: good, elements: [os]}\n- {imagename: empty, packages: [p]}\n"),
              HasSubstr("images.yaml:2:3: image 'empty': ERROR: At least one distribution root"));
}

TEST_F(DescribedImagesTest, WhatIsWrongWithSeveralImagesIsSaidAtOnce) {
  EXPECT_THAT(refusal("- {imagename: one, elements: [os], server: x}\n- {imagename: two, packages: [p]}\n"),
              testing::AllOf(HasSubstr("images.yaml:1:3: image 'one': "), HasSubstr("images.yaml:2:3: image 'two': ")));
}

TEST_F(DescribedImagesTest, TwoImagesOfOneOutputAreRefusedWithBothPlaces) {
  EXPECT_THAT(
      refusal("- {imagename: web, elements: [os]}\n- {imagename: ./web, elements: [os]}\n"),
      testing::AllOf(HasSubstr("images.yaml:2:3: the image './web' would be written where 'web' (images.yaml:1:3) is"),
                     HasSubstr("imagename of its own")));
}

/// As on the command line: nothing that an image's options say is dropped.
TEST_F(DescribedImagesTest, OptionsOfLockAndKeyActOrAreRefused) {
  const auto all = images("- {imagename: good, elements: [os], options: ['--record', '--lock', 'x.lock']}\n");
  EXPECT_EQ(all.at(0).request.fetching.mode, fetch::FetchMode::record);
  EXPECT_EQ(all.at(0).request.fetching.lock, dir_.path() / "x.lock");
  EXPECT_EQ(all.at(0).request.arguments_text, "-o good os") << "what hooks are told of";
  EXPECT_THAT(all.at(0).request.arguments, testing::IsSupersetOf({"--record", "--lock", "x.lock"}));
  EXPECT_THAT(refusal_of_options("['--locked', '--lock', '/nonexistent']"),
              testing::AllOf(HasSubstr("images.yaml:1:3: image 'x': "), HasSubstr("no lock file /nonexistent"),
                             HasSubstr("--record")));
  EXPECT_THAT(refusal_of_options("['--sign-key', '/nonexistent']"),
              HasSubstr("images.yaml:1:3: image 'x': opening /nonexistent"));
  EXPECT_THAT(refusal_of_options("['--checksums', 'sha265']"), HasSubstr("not 'sha265'; did you mean 'sha256'?"));
  EXPECT_THAT(refusal_of_options("['--nonsense']"), HasSubstr("images.yaml:1:3: "));
}

TEST_F(DescribedImagesTest, ClearingTheEnvironmentLeavesTheFiles) {
  described_.environment = {{"DIB_MINE", "dropped"}};
  const auto all = images("- {imagename: good, elements: [os], clear: true, environment: {DIB_X: '1'}}\n");
  EXPECT_EQ(all.at(0).request.environment, (Environment{{"DIB_X", "1"}}));
}

TEST_F(DescribedImagesTest, OnlyExistingYamlFilesAreDescriptions) {
  files_.write(dir_.path() / "a.yaml", "", {});
  EXPECT_TRUE(are_descriptions({"a.yaml"}, dir_.path()));
  EXPECT_FALSE(are_descriptions({"a.yaml", "vm"}, dir_.path()));
  EXPECT_FALSE(are_descriptions({"b.yaml"}, dir_.path()));
  EXPECT_FALSE(are_descriptions({}, dir_.path()));
}

}  // namespace
}  // namespace hearth::builder
