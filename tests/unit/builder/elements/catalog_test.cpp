#include "builder/elements/catalog.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using fakes::MemoryFileSystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Catalog, EveryDirectoryIsAnElementAndFilesAreNot) {
  MemoryFileSystem files;
  ElementTree(files).add("b").add("a", "b", "virtual");
  files.put("/elements/README.md", "");
  const Catalog catalog = Catalog::scan(files, {}, "/elements");
  EXPECT_THAT(catalog.names(), ElementsAre("a", "b"));
  EXPECT_THAT(catalog.find("a")->deps, ElementsAre("b"));
  EXPECT_THAT(catalog.find("a")->provides, ElementsAre("virtual"));
  EXPECT_EQ(catalog.find("a")->path, "/elements/a");
  EXPECT_EQ(catalog.find("README.md"), nullptr);
}

TEST(Catalog, AnEarlierDirectoryWinsAndTheOtherIsNoted) {
  MemoryFileSystem files;
  ElementTree(files, "/mine").add("vm", "base");
  ElementTree(files, "/own").add("vm", "bootloader").add("base");
  const Catalog catalog = Catalog::scan(files, {"/mine"}, "/own");
  EXPECT_EQ(catalog.find("vm")->path, "/mine/vm");
  EXPECT_FALSE(catalog.find("vm")->built_in);
  EXPECT_TRUE(catalog.find("base")->built_in);
  EXPECT_THAT(catalog.notes(), ElementsAre("Element </mine/vm> overrides </own/vm>"));
  EXPECT_EQ(catalog.search_path_text(), "/mine:/own");
}

TEST(Catalog, OfManyThatWinOneLineTells) {
  MemoryFileSystem files;
  ElementTree(files, "/mine").add("a").add("b").add("c").add("d");
  ElementTree(files, "/own").add("a").add("b").add("c").add("d").add("e");
  EXPECT_THAT(Catalog::scan(files, {"/mine"}, "/own").notes(),
              ElementsAre("4 elements of /mine override those of /own"));
}

TEST(Catalog, WhatIsBehindHearthsOwnOnlyFillsGaps) {
  MemoryFileSystem files;
  ElementTree(files, "/own").add("vm", "base");
  ElementTree(files, "/theirs").add("vm", "bootloader").add("pip").add("__pycache__");
  const Catalog catalog = Catalog::scan(files, {}, "/own", {"/theirs"});
  EXPECT_EQ(catalog.find("vm")->path, "/own/vm");
  EXPECT_TRUE(catalog.find("pip")->fallback);
  EXPECT_FALSE(catalog.find("pip")->built_in);
  EXPECT_EQ(catalog.find("__pycache__"), nullptr);
  EXPECT_THAT(catalog.notes(), IsEmpty()) << "that ours come first is the rule, not news";
  EXPECT_EQ(catalog.search_path_text(), "/own:/theirs");
}

/// Also by the spelling that a shell completes, or through a link.
TEST(Catalog, HearthsOwnAreItsOwnHoweverTheirDirectoryIsSpelt) {
  const TempDir dir = TempDir::create("/tmp", "hearth-catalog-");
  fs::create_directories(dir.path() / "own/vm");
  fs::create_symlink("own", dir.path() / "link");
  const RealFileSystem files;
  for (const char* spelling : {"own", "own/", "own/.", "./own", "own/../own", "link"}) {
    const Catalog catalog = Catalog::scan(files, {cat(dir.path().string(), "/", spelling)}, dir.path() / "own");
    EXPECT_TRUE(catalog.find("vm")->built_in) << spelling;
    EXPECT_EQ(catalog.find("vm")->path, dir.path() / "own/vm") << spelling;
    EXPECT_THAT(catalog.notes(), IsEmpty()) << spelling;
  }
}

TEST(Catalog, ADirectoryNamedTwiceOverridesNothing) {
  MemoryFileSystem files;
  ElementTree(files, "/own").add("vm");
  EXPECT_THAT(Catalog::scan(files, {"/own"}, "/own").notes(), IsEmpty());
}

TEST(Catalog, AnEntryThatIsNoDirectoryIsRefusedInUpstreamsWords) {
  MemoryFileSystem files;
  ElementTree(files, "/own").add("vm");
  files.put("/file", "");
  for (const std::string entry : {"/missing", "/file", ""}) {
    EXPECT_THAT(story_of([&] { return Catalog::scan(files, {entry}, "/own"); }),
                HasSubstr(cat("ELEMENTS_PATH entry '", entry, "' is not a directory")));
  }
}

TEST(Catalog, ALinkedElementHasTheNameOfWhatItPointsTo) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree(files, dir.path() / "tree").add("real");
  files.make_directories(dir.path() / "path", 0755);
  fs::create_directory_symlink(dir.path() / "tree/real", dir.path() / "path/alias");
  EXPECT_THAT(Catalog::scan(files, {}, dir.path() / "path").names(), ElementsAre("real"));
}

}  // namespace
}  // namespace hearth::builder
