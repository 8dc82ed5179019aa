#include "builder/elements/tree_fetch.hpp"

#include <gmock/gmock.h>

#include "base/clock.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(KeptName, IsTheLastPartOfTheSource) {
  EXPECT_EQ(kept_name({.source = "https://host/openstack/octavia.git"}), "octavia");
  EXPECT_EQ(kept_name({.source = "git@host:team/trees.git/"}), "trees");
  EXPECT_EQ(kept_name({.source = "/srv/elements/"}), "elements");
  EXPECT_EQ(kept_name({.source = "x", .name = "mine"}), "mine");
  for (const char* bad : {"..", ".hidden", "a/../..", "a b"}) {
    EXPECT_THAT(story_of([&] { return kept_name({.source = "x", .name = bad}); }), HasSubstr("--name NAME")) << bad;
  }
}

struct TreeFetchTest : testing::Test {
  TempDir directory = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  SystemClock clock;
  RealRunner runner{clock};
  fs::path source = directory.path() / "project";
  fs::path kept = directory.path() / "kept";

  TreeFetchTest() {
    ElementTree(files, source / "elements").add("web", "package-installs").hook("web", "install.d/10-web");
  }
};

TEST_F(TreeFetchTest, ADirectoryIsKeptWithItsOrigin) {
  files.write(source / "LICENSE", "Apache License\nVersion 2.0\n", {});
  const KeptTree tree = fetch_tree({.source = source.string()}, kept, runner);
  EXPECT_EQ(tree.elements, kept / "project/elements");
  EXPECT_EQ(tree.origin.value("licence", ""), "Apache-2.0");
  EXPECT_EQ(tree.origin.value("kind", ""), "directory");
  EXPECT_EQ(tree.origin.value("elements", 0), 1);
  EXPECT_EQ(tree.origin.value("sha256", "").size(), 64U);
  EXPECT_EQ(parse_json(read_file(tree.elements / k_origin_file), "").value(), tree.origin);
  EXPECT_TRUE(files.status(tree.elements / "web/install.d/10-web")->mode & 0100U);
}

TEST_F(TreeFetchTest, ASourceThatIsNearlyUpstreamsNameIsTold) {
  const auto story = [&](const char* word) {
    return story_of([&] { return fetch_tree({.source = word}, kept, runner).elements.string(); });
  };
  EXPECT_THAT(story("diskimage-bilder"), HasSubstr("did you mean 'diskimage-builder'?"));
  EXPECT_THAT(story("/no/where"), Not(HasSubstr("did you mean")));
}

TEST_F(TreeFetchTest, ALaterOneTakesThePlaceAndAFailedOneChangesNothing) {
  const KeptTree first = fetch_tree({.source = source.string()}, kept, runner);
  ElementTree(files, source / "elements").add("more", "web");
  const KeptTree second = fetch_tree({.source = source.string()}, kept, runner);
  EXPECT_NE(first.origin.value("sha256", ""), second.origin.value("sha256", ""));
  files.make_directories(directory.path() / "empty/project", 0755);
  const std::string none = (directory.path() / "empty/project").string();
  EXPECT_THAT(story_of([&] { return fetch_tree({.source = none}, kept, runner).elements; }), HasSubstr("--below DIR"));
  EXPECT_THAT(files.list(kept), testing::ElementsAre("project"));
  EXPECT_TRUE(fs::exists(kept / "project/elements/more"));
}

TEST_F(TreeFetchTest, ARepositoryIsKeptWithItsCommit) {
  const std::string at = source.string();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"init", "-q", "-b", "main"},
           {"add", "."},
           {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "one"}}) {
    std::vector<std::string> argv = {"git", "-C", at};
    argv.insert(argv.end(), words.begin(), words.end());
    (void)run_checked(runner, {.argv = argv});
  }
  const std::string url = "file://" + at;
  const KeptTree tree = fetch_tree({.source = url, .name = "mine", .below = "elements"}, kept, runner);
  EXPECT_EQ(tree.elements, kept / "mine/elements");
  EXPECT_EQ(tree.origin.value("commit", "").size(), 40U);
  EXPECT_EQ(tree.origin.value("source", ""), url);
  EXPECT_THAT(story_of([&] { return fetch_tree({.source = url, .ref = "nosuch"}, kept, runner).elements; }),
              HasSubstr("nosuch"));
}

TEST_F(TreeFetchTest, WhatIsNeitherIsRefused) {
  EXPECT_THAT(story_of([&] { return fetch_tree({.source = "nosuch"}, kept, runner).elements; }),
              HasSubstr("no directory here, and no URL"));
}

}  // namespace
}  // namespace hearth::builder
