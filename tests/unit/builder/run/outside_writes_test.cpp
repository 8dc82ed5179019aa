#include "builder/run/outside_writes.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

TEST(OutsideWrites, SeesFilesBesideTheImageButNotOthersAndNotTheLog) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  files.make_directories(dir.path() / "image.d", 0755);
  OutsideWrites outside(dir.path() / "image");
  files.write(dir.path() / "unrelated", "x", {});
  files.write(dir.path() / "image2.raw", "x", {});
  files.write(dir.path() / "image.log", "x", {});
  files.write(dir.path() / "image.d/build.log", "x", {});
  EXPECT_EQ(outside.changed(), "");
  files.write(dir.path() / "image.d/manifest", "x", {});
  EXPECT_EQ(outside.changed(), (dir.path() / "image.d/manifest").string());
  EXPECT_EQ(outside.changed(), "");
  files.write(dir.path() / "image.vmlinuz", "x", {});
  EXPECT_EQ(outside.changed(), (dir.path() / "image.vmlinuz").string());
  files.remove(dir.path() / "image.vmlinuz");
  EXPECT_EQ(outside.changed(), (dir.path() / "image.vmlinuz").string());
}

}  // namespace
}  // namespace hearth::builder
