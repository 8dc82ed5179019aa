#include "builder/output/old_output.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

TEST(OldOutputTest, TheTimeGoesBetweenStemAndExtension) {
  const WallTime now{std::chrono::seconds(1'700'000'000)};
  EXPECT_EQ(old_output_name("out/image.qcow2", now), "out/image-2023.11.14-22.13.20.qcow2");
}

TEST(OldOutputTest, TheChecksumsMoveWithTheImage) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "old-");
  const fs::path image = work.path() / "image.raw";
  RealFileSystem files;
  files.write(image, "old", {});
  files.write(image.string() + ".md5", "sum", {});
  SystemClock clock;
  const fs::path kept = keep_old_output(image, clock);
  EXPECT_FALSE(fs::exists(image));
  EXPECT_EQ(read_file(kept), "old");
  EXPECT_EQ(read_file(kept.string() + ".md5"), "sum");
}

TEST(OldOutputTest, NothingThereIsNothingDone) {
  SystemClock clock;
  EXPECT_TRUE(keep_old_output("/nowhere/image.raw", clock).empty());
}

}  // namespace
}  // namespace hearth::builder
