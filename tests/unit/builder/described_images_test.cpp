#include "builder/described_images.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DescribedImagesTest : public testing::Test {
 protected:
  int build(const std::string& text) {
    files_.write(dir_.path() / "images.yaml", text, {});
    described_.files = {"images.yaml"};
    described_.start_directory = dir_.path();
    return build_described_images(described_, [this](const ImageRequest& request) {
      built_.push_back(request.image_name);
      environments_.push_back(request.environment);
      requests_.push_back(request);
      if (request.image_name == "broken") throw Error(ErrorKind::external, "a hook failed", 7);
      return 0;
    });
  }
  std::string refusal(const std::string& options) {
    try {
      build(cat("- {imagename: x, elements: [os], options: ", options, "}\n"));
      return "";
    } catch (const Error& error) {
      return error.story();
    }
  }
  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files_;
  DescribedBuild described_;
  std::vector<std::string> built_;
  std::vector<Environment> environments_;
  std::vector<ImageRequest> requests_;
};

constexpr const char* k_three =
    "- {imagename: broken, elements: [os]}\n"
    "- {imagename: good, elements: [os], environment: {DIB_X: '1'}}\n"
    "- {imagename: also-good, elements: [os]}\n";

TEST_F(DescribedImagesTest, AFailureDoesNotKeepTheOthersFromBeingBuilt) {
  described_.environment = {{"MINE", "kept"}};
  EXPECT_EQ(build(k_three), 7);
  EXPECT_THAT(built_, ElementsAre("broken", "good", "also-good"));
  EXPECT_EQ(environments_[1], (Environment{{"DIB_X", "1"}, {"MINE", "kept"}}));
  EXPECT_EQ(environments_[2], (Environment{{"MINE", "kept"}}));
}

TEST_F(DescribedImagesTest, UnlessThatIsWanted) {
  described_.stop_on_failure = true;
  EXPECT_EQ(build(k_three), 7);
  EXPECT_THAT(built_, ElementsAre("broken"));
}

TEST_F(DescribedImagesTest, ADryRunBuildsNothing) {
  described_.dry_run = true;
  EXPECT_EQ(build(k_three), 0);
  EXPECT_THAT(built_, IsEmpty());
}

TEST_F(DescribedImagesTest, WhatIsWrongWithOneImageIsSaidBeforeAnyIsBuilt) {
  try {
    build("- {imagename: good, elements: [os]}\n- {imagename: empty, packages: [p]}\n");
    FAIL() << "built";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("images.yaml:2:3: image 'empty': ERROR: At least one distribution root"));
  }
  EXPECT_THAT(built_, IsEmpty());
}

/// As on the command line: nothing that an image's options say is dropped.
TEST_F(DescribedImagesTest, OptionsOfLockAndKeyActOrAreRefused) {
  EXPECT_EQ(build("- {imagename: good, elements: [os], options: ['--record', '--lock', 'x.lock']}\n"), 0);
  EXPECT_EQ(requests_.at(0).fetching.mode, fetch::FetchMode::record);
  EXPECT_EQ(requests_.at(0).fetching.lock, dir_.path() / "x.lock");
  EXPECT_EQ(requests_.at(0).arguments_text, "-o good --record --lock x.lock os");
  EXPECT_THAT(refusal("['--locked', '--lock', '/nonexistent']"),
              testing::AllOf(HasSubstr("images.yaml:1:3: image 'x': "), HasSubstr("no lock file /nonexistent"),
                             HasSubstr("--record")));
  EXPECT_THAT(refusal("['--sign-key', '/nonexistent']"), HasSubstr("images.yaml:1:3: image 'x': opening /nonexistent"));
  EXPECT_THAT(refusal("['--checksums', 'sha265']"), HasSubstr("not 'sha265'; did you mean 'sha256'?"));
  EXPECT_THAT(refusal("['--nonsense']"), HasSubstr("images.yaml:1:3: "));
  EXPECT_EQ(requests_.size(), 1U);
}

TEST_F(DescribedImagesTest, ClearingTheEnvironmentLeavesTheFiles) {
  described_.environment = {{"DIB_MINE", "dropped"}};
  EXPECT_EQ(build("- {imagename: good, elements: [os], clear: true, environment: {DIB_X: '1'}}\n"), 0);
  EXPECT_EQ(environments_.at(0), (Environment{{"DIB_X", "1"}}));
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
