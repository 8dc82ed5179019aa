#include "builder/output/old_output.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

TEST(OldOutputTest, TheTimeGoesBetweenStemAndExtension) {
  const WallTime now{std::chrono::seconds(1'700'000'000)};
  EXPECT_EQ(old_output_name("out/image.qcow2", now), "out/image-2023.11.14-22.13.20.qcow2");
}

TEST(OldOutputTest, TheChecksumsGoWithTheImage) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "old-");
  const fs::path image = work.path() / "image.raw";
  RealFileSystem files;
  files.write(image, "old", {});
  files.write(image.string() + ".md5", "sum", {});
  SystemClock clock;
  const fs::path kept = keep_old_output(image, clock);
  EXPECT_TRUE(fs::equivalent(image, kept)) << "until the new one takes its name";
  files.write(image, "new", {});
  EXPECT_EQ(read_file(kept), "old");
  EXPECT_EQ(read_file(kept.string() + ".md5"), "sum");
}

TEST(OldOutputTest, OfTwoInOneSecondBothAreKept) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "old-");
  const fs::path image = work.path() / "image.raw";
  RealFileSystem files;
  const SystemClock clock;
  std::set<std::string> kept;
  for (const char* text : {"one", "two", "three"}) {
    files.write(image, text, {});
    const fs::path name = keep_old_output(image, clock);
    EXPECT_EQ(read_file(name), text);
    EXPECT_TRUE(kept.insert(name.string()).second);
    fs::remove(image);
  }
}

TEST(OldOutputTest, AfterAFailureThereIsTheOldOneAlone) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "old-");
  const SystemClock clock;
  RealFileSystem files;
  for (const char* name : {"image.raw", "image.raw.md5", "layout/index.json"}) {
    files.make_directories((work.path() / name).parent_path(), 0755);
    files.write(work.path() / name, "old", {});
  }
  for (const char* name : {"image.raw", "layout"})
    take_back_old_output(work.path() / name, keep_old_output(work.path() / name, clock));
  EXPECT_EQ(files.list(work.path()), (std::vector<std::string>{"image.raw", "image.raw.md5", "layout"}));
  EXPECT_EQ(read_file(work.path() / "layout/index.json"), "old");
}

TEST(OldOutputTest, TheSameBytesNeedNotBeKept) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "old-");
  const auto file = [&](const std::string& name, const std::string& text) {
    RealFileSystem().write(work.path() / name, text, {});
    return work.path() / name;
  };
  const std::string large((std::size_t{1} << 20U) + 3, 'x');
  EXPECT_TRUE(has_same_bytes(file("a", large), file("b", large)));
  EXPECT_FALSE(has_same_bytes(file("a", large), file("b", cat(large.substr(1), "y"))));
  EXPECT_FALSE(has_same_bytes(file("a", large), file("b", large.substr(1))));
  EXPECT_FALSE(has_same_bytes(work.path() / "a", work.path() / "a")) << "one file";
  EXPECT_FALSE(has_same_bytes(work.path(), work.path() / "a"));
  (void)file("b.sha256", "sum");
  drop_old_output(work.path() / "b");
  EXPECT_EQ(RealFileSystem().list(work.path()), std::vector<std::string>{"a"});
}

TEST(OldOutputTest, NothingThereIsNothingDone) {
  SystemClock clock;
  EXPECT_TRUE(keep_old_output("/nowhere/image.raw", clock).empty());
}

}  // namespace
}  // namespace hearth::builder
