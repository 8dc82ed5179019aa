#include "builder/disk/copy/sparse_copy.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

TEST(SparseCopyTest, DataArrivesAtItsOffsetAndHolesStayHoles) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "sparse-");
  RealFileSystem files;
  const fs::path from = work.path() / "from";
  const fs::path to = work.path() / "to";
  files.write(from, "data", {});
  fs::resize_file(from, 8 << 20);
  files.write(to, "", {});
  fs::resize_file(to, 16 << 20);
  copy_sparse(from, to, 1 << 20);
  const std::string result = read_file(to);
  EXPECT_EQ(result.size(), 16U << 20);
  EXPECT_EQ(result.substr(1 << 20, 5), std::string("data\0", 5));
  struct stat status {};
  ASSERT_EQ(::stat(to.c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

}  // namespace
}  // namespace hearth::builder
