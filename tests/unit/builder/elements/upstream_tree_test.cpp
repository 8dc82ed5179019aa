#include "builder/elements/upstream_tree.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

struct UpstreamTreeTest : testing::Test {
  fakes::MemoryFileSystem files;

  void has(const std::string& directory) { files.put(cat(directory, "/package-installs/README.rst"), ""); }
  std::string found(Environment environment) {
    environment.emplace("HOME", "/home/anna");
    const auto tree = find_upstream_tree(files, environment);
    return tree ? tree->elements.string() : "";
  }
};

TEST_F(UpstreamTreeTest, NobodyHasIt) { EXPECT_EQ(found({{"PATH", "/usr/bin:relative:"}}), ""); }

TEST_F(UpstreamTreeTest, APackageBesideAProgramInPathIsFoundBeforeTheUsersAndTheSystems) {
  has("/usr/lib/python3/dist-packages/diskimage_builder/elements");
  EXPECT_EQ(found({}), "/usr/lib/python3/dist-packages/diskimage_builder/elements");
  has("/home/anna/.local/lib/python3.11/site-packages/diskimage_builder/elements");
  EXPECT_EQ(found({}), "/home/anna/.local/lib/python3.11/site-packages/diskimage_builder/elements");
  has("/venv/lib/python3.13/site-packages/diskimage_builder/elements");
  EXPECT_EQ(found({{"PATH", "/venv/bin:/usr/bin"}}), "/venv/lib/python3.13/site-packages/diskimage_builder/elements");
}

TEST_F(UpstreamTreeTest, TheUsersPackagesComeBeforeTheMachinesThoughPathNamesThose) {
  has("/usr/lib/python3/dist-packages/diskimage_builder/elements");
  has("/home/anna/.local/lib/python3.11/site-packages/diskimage_builder/elements");
  EXPECT_EQ(found({{"PATH", "/usr/local/bin:/usr/bin:/bin"}}),
            "/home/anna/.local/lib/python3.11/site-packages/diskimage_builder/elements");
}

TEST_F(UpstreamTreeTest, PythonsOwnVariablesAreHeeded) {
  has("/usr/lib/python3/dist-packages/diskimage_builder/elements");
  has("/venv/lib/python3.13/site-packages/diskimage_builder/elements");
  EXPECT_EQ(found({{"VIRTUAL_ENV", "/venv"}, {"PATH", "/usr/bin"}}),
            "/venv/lib/python3.13/site-packages/diskimage_builder/elements");
  has("/src/dib/diskimage_builder/elements");
  EXPECT_EQ(found({{"VIRTUAL_ENV", "/venv"}, {"PYTHONPATH", "/nothing::/src/dib"}}),
            "/src/dib/diskimage_builder/elements");
}

TEST_F(UpstreamTreeTest, ACheckoutThatPipInstalledForEditingIsFound) {
  const std::string packages = "/venv/lib/python3.13/site-packages/";
  has("/src/dib/diskimage_builder/elements");
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"diskimage-builder.egg-link", "/src/dib\n.\n"},
           {"__editable__.diskimage_builder-3.30.pth", "/src/dib\n"},
           {"easy-install.pth", "import sys\n/elsewhere\n/src/dib\n"},
           {"__editable___diskimage_builder_3_30_finder.py",
            "MAPPING: dict[str, str] = {'diskimage_builder': '/src/dib/diskimage_builder'}\n"}}) {
    files.put(packages + name, text);
    EXPECT_EQ(found({{"PATH", "/venv/bin:/usr/bin"}}), "/src/dib/diskimage_builder/elements") << name;
    files.put(packages + name, "import sys\n");
    EXPECT_EQ(found({{"PATH", "/venv/bin:/usr/bin"}}), "") << name;
  }
}

TEST_F(UpstreamTreeTest, WhatWasFetchedComesFirst) {
  has("/usr/lib/python3/dist-packages/diskimage_builder/elements");
  has("/home/anna/.local/share/hearth/elements/diskimage-builder/elements");
  EXPECT_EQ(found({}), "/home/anna/.local/share/hearth/elements/diskimage-builder/elements");
}

TEST_F(UpstreamTreeTest, TheVariableHasTheLastWord) {
  has("/usr/lib/python3/dist-packages/diskimage_builder/elements");
  has("/mine");
  EXPECT_EQ(found({{"HEARTH_UPSTREAM_ELEMENTS", "no"}}), "");
  EXPECT_EQ(found({{"HEARTH_UPSTREAM_ELEMENTS", "/mine"}}), "/mine");
  EXPECT_TRUE(find_upstream_tree(files, {{"HEARTH_UPSTREAM_ELEMENTS", "first"}, {"HOME", "/"}})->first);
  EXPECT_THAT(story_of([&] {
                return found({{"HEARTH_UPSTREAM_ELEMENTS", "/nothing"}});
              }),
              HasSubstr("/nothing does not hold diskimage-builder's elements"));
}

TEST(KeptTrees, FollowTheUsersDataDirectory) {
  EXPECT_EQ(kept_trees({{"HOME", "/h"}, {"XDG_DATA_HOME", "/data"}}), "/data/hearth/elements");
  EXPECT_EQ(kept_trees({{"HOME", "/h"}, {"XDG_DATA_HOME", "data"}}), "/h/.local/share/hearth/elements");
}

}  // namespace
}  // namespace hearth::builder
