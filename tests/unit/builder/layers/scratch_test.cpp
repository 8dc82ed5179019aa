#include "builder/layers/scratch.hpp"

#include <gmock/gmock.h>
#include <sys/mount.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using ::testing::ElementsAre;

/// A copy of a directory of the machine, as hooks have one of /tmp.
class ScratchCopy {
 public:
  explicit ScratchCopy(const fs::path& root)
      : machines_(root / "machine"), place{.directory = root / "at", .written = root / "up"} {
    for (const char* name : {"machine/kept", "machine/replaced", "up", "work", "at"})
      fs::create_directories(root / name);
    for (const char* name : {"gone", "kept/a", "kept/b", "replaced/a"}) files.write(machines_ / name, "machine's", {});
    const std::string options = cat("lowerdir=", machines_.string(), ",upperdir=", place.written.string(),
                                    ",workdir=", (root / "work").string(), ",userxattr");
    if (::mount("overlay", place.directory.c_str(), "overlay", 0, options.c_str()) != 0) why_not = std::strerror(errno);
  }
  void put(const std::string& path, const std::string& text) { files.write(place.directory / path, text, {}); }
  [[nodiscard]] std::string text(const std::string& path) const {
    return files.read(place.directory / path).value_or("none");
  }
  [[nodiscard]] std::vector<std::string> list(const std::string& path) const {
    return files.list(place.directory / path);
  }

 private:
  fs::path machines_;

 public:
  RealFileSystem files;
  ScratchPlace place;
  std::string why_not;
};

void check_brought_back() {
  ASSERT_EQ(::mount("tmpfs", "/mnt", "tmpfs", 0, ""), 0);
  ScratchCopy first("/mnt/first");
  if (!first.why_not.empty()) GTEST_SKIP() << "no overlay for user namespaces: " << first.why_not;
  fs::create_directory(first.place.directory / "made");
  first.put("made/a", "hook's");
  fs::remove(first.place.directory / "gone");
  fs::remove(first.place.directory / "kept/a");
  first.put("kept/b", "hook's");
  fs::remove_all(first.place.directory / "replaced");
  fs::create_directory(first.place.directory / "replaced");
  first.put("replaced/b", "hook's");
  save_scratch(first.place, "/mnt/saved/0");

  ScratchCopy second("/mnt/second");
  for (const char* asked : {"made", "made/a", "gone", "kept/a", "kept/b", "replaced/a", "replaced/b"})
    (void)second.text(asked);  // the kernel keeps in mind what it told, also that something is not there
  EXPECT_EQ(second.list("").size(), 3U);
  bring_back_scratch(second.place, "/mnt/saved/0", "/mnt/room");
  EXPECT_THAT(second.list(""), ElementsAre("kept", "made", "replaced"));
  EXPECT_EQ(second.text("made/a"), "hook's");
  EXPECT_EQ(second.text("gone"), "none");
  EXPECT_THAT(second.list("kept"), ElementsAre("b"));
  EXPECT_EQ(second.text("kept/b"), "hook's");
  EXPECT_THAT(second.list("replaced"), ElementsAre("b"));
  EXPECT_FALSE(fs::exists("/mnt/room"));
}

TEST(Scratch, IsBroughtBackThoughItsNamesWereAskedForBefore) { in_namespace(check_brought_back); }

void check_nothing_written() {
  ASSERT_EQ(::mount("tmpfs", "/mnt", "tmpfs", 0, ""), 0);
  const ScratchPlace plain{.directory = "/mnt/plain", .written = "/mnt/plain"};
  fs::create_directory(plain.directory);
  save_scratch(plain, "/mnt/saved/0");
  EXPECT_FALSE(fs::exists("/mnt/saved"));
  bring_back_scratch(plain, "/mnt/saved/0", "/mnt/room");
  EXPECT_TRUE(RealFileSystem().list(plain.directory).empty());
}

TEST(Scratch, WithoutAnythingWrittenMakesNoFile) { in_namespace(check_nothing_written); }

}  // namespace
}  // namespace hearth::builder
