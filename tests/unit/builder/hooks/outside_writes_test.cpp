#include "builder/hooks/outside_writes.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

TEST(OutsideWrites, SeesWhatHooksWroteBesideTheImageAndNothingElse) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  files.make_directories(dir.path() / "image.d", 0755);
  OutsideWrites outside(dir.path(), "image");
  files.write(dir.path() / "unrelated", "x", {});
  files.write(dir.path() / "image2.raw", "x", {});
  EXPECT_EQ(outside.changed(), "");
  files.write(dir.path() / "image.d/manifest", "x", {});
  EXPECT_EQ(outside.changed(), "image.d/manifest");
  EXPECT_EQ(outside.changed(), "");
  files.write(dir.path() / "image.vmlinuz", "x", {});
  EXPECT_EQ(outside.changed(), "image.vmlinuz");
  files.remove(dir.path() / "image.vmlinuz");
  EXPECT_EQ(outside.changed(), "image.vmlinuz");
}

}  // namespace
}  // namespace hearth::builder
