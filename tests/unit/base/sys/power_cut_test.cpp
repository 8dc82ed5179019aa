// What a power cut, or a disk that is full, leaves of files that were written whole: the old one or the new one, and
// the new one when somebody was told that it is there.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_batch.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth {
namespace {

using fakes::LossyDisk;
using testing::Contains;

/// Larger than a sector, so that it can be torn.
std::string contents(std::size_t version) {
  return cat(version, "\n", std::string(3000, static_cast<char>('a' + version)));
}

class PowerCut : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const char* name = "file") const { return directory_.path() / name; }
  /// What `name` holds after each cut, as the disk says.
  std::set<std::string> seen_after(LossyDisk& disk, const char* name = "file") {
    std::set<std::string> seen;
    disk.cut_everywhere(
        [&](const LossyDisk::Cut&) { seen.insert(RealFileSystem().read(file(name)).value_or("none")); });
    return seen;
  }
  TempDir directory_ = TempDir::create("/tmp", "hearth-test-");
};

TEST_F(PowerCut, TakesWhatNobodySynced) {
  RealFileSystem().write(file(), "old", {});
  LossyDisk disk(directory_.path());
  {
    const Fd fd = Fd::open(file().string(), O_WRONLY | O_TRUNC);
    write_all(fd, contents(1), "it");
  }
  const std::set<std::string> seen = seen_after(disk);
  EXPECT_THAT(seen, Contains("old"));
  EXPECT_THAT(seen, Contains(""));
  EXPECT_THAT(seen, Contains(contents(1)));
  EXPECT_GT(seen.size(), 3U) << "none is torn";
}

TEST_F(PowerCut, TakesNamesWhoseDirectoryNobodySyncedAndContentsBehindNames) {
  LossyDisk disk(directory_.path());
  {
    const Fd fd = Fd::open(file("new").string(), O_WRONLY | O_CREAT, 0600);
    write_all(fd, contents(1), "it");
  }
  fs::rename(file("new"), file());
  const std::set<std::string> seen = seen_after(disk);
  EXPECT_THAT(seen, Contains("none"));
  EXPECT_THAT(seen, Contains(""));
}

TEST_F(PowerCut, KeepsWhatWasSyncedAndWhatWasThereBefore) {
  fs::create_directory(file("d"));
  fs::create_symlink("d", file("link"));
  RealFileSystem().write(file("d/kept"), "kept", {.mode = 0600});
  LossyDisk disk(directory_.path());
  RealFileSystem().make_directories(file("e/f"), 0700);
  RealFileSystem().write(file("e/f/x"), "new", {.mode = 0640});
  disk.promise("x");
  RealFileSystem().remove(file("d/kept"));
  const std::size_t cuts = disk.cut_everywhere([&](const LossyDisk::Cut& cut) {
    EXPECT_EQ(fs::read_symlink(file("link")), "d");
    const std::optional<FileStatus> status = RealFileSystem().status(file("e/f/x"));
    EXPECT_TRUE(cut.promised.empty() || (status && status->mode == 0640U));
    EXPECT_TRUE(!cut.promised.empty() || read_file(file("d/kept")) == "kept");
  });
  EXPECT_GT(cuts, 4U);
}

class PowerCutOf : public PowerCut, public testing::WithParamInterface<bool> {};

TEST_P(PowerCutOf, AFileLeavesTheOldOneOrTheNewOneAndTheNewOneOnceItIsThere) {
  RealFileSystem files;
  files.write(file(), contents(0), {});
  LossyDisk disk(directory_.path());
  if (GetParam()) disk.refuse_unnamed_files();
  for (std::size_t version = 1; version <= 3; ++version) {
    files.write(file(), contents(version), {});
    disk.promise(cat(version));
  }
  const std::size_t cuts = disk.cut_everywhere([&](const LossyDisk::Cut& cut) {
    const std::string found = read_file(file());
    const std::size_t promised = cut.promised.size();
    EXPECT_TRUE(found == contents(promised) || found == contents(promised + 1)) << found.substr(0, 20);
  });
  EXPECT_GE(cuts, 10U);
}

TEST_P(PowerCutOf, ABatchLeavesEachOfItsFilesOldOrNewAndAllNewOnceItIsThere) {
  RealFileSystem files;
  fs::create_directory(file("d"));
  for (const char* name : {"a", "b", "d/c"}) files.write(file(name), contents(0), {});
  LossyDisk disk(directory_.path());
  if (GetParam()) disk.refuse_unnamed_files();
  const std::string text = contents(1);
  write_together({{file("a"), text, {}}, {file("b"), text, {}}, {file("d/c"), text, {}}, {file("d/new"), text, {}}});
  disk.promise("all");
  const std::size_t cuts = disk.cut_everywhere([&](const LossyDisk::Cut& cut) {
    for (const char* name : {"a", "b", "d/c"}) {
      const std::string found = read_file(file(name));
      EXPECT_TRUE(found == contents(1) || (found == contents(0) && cut.promised.empty())) << name;
    }
    const std::optional<std::string> fresh = RealFileSystem().read(file("d/new"));
    EXPECT_TRUE(fresh == contents(1) || (!fresh && cut.promised.empty()));
  });
  EXPECT_GT(cuts, 5U);
}

TEST_P(PowerCutOf, ADiskThatIsFullAtAnyWriteLeavesTheOldFileAndNothingElse) {
  RealFileSystem files;
  files.write(file(), contents(0), {});
  for (std::size_t writes = 0; read_file(file()) != contents(1); ++writes) {
    ASSERT_LT(writes, 10U);
    LossyDisk disk(directory_.path());
    if (GetParam()) disk.refuse_unnamed_files();
    disk.fill_after(writes);
    try {
      files.write(file(), contents(1), {});
    } catch (const Error& error) {
      EXPECT_EQ(error.system_error(), ENOSPC);
      EXPECT_EQ(read_file(file()), contents(0));
      EXPECT_EQ(files.list(directory_.path()), std::vector<std::string>{"file"});
      EXPECT_TRUE(disk.was_full());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EachKindOfFileSystem, PowerCutOf, testing::Bool(), [](const auto& which) {
  return std::string(which.param ? "WithoutUnnamedFiles" : "WithUnnamedFiles");
});

}  // namespace
}  // namespace hearth
