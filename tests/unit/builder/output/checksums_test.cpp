#include "builder/output/checksums.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {
namespace {

TEST(ChecksumsTest, TheSettingChoosesTheDigests) {
  EXPECT_EQ(parse_checksums("0"), (std::vector<HashKind>{}));
  EXPECT_EQ(parse_checksums("1"), (std::vector<HashKind>{HashKind::md5, HashKind::sha256}));
  EXPECT_EQ(parse_checksums("sha256"), (std::vector<HashKind>{HashKind::sha256}));
  EXPECT_EQ(parse_checksums("sha256,md5"), (std::vector<HashKind>{HashKind::md5, HashKind::sha256}));
}

TEST(ChecksumsTest, Md5sumAndSha256sumCheckOurFiles) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "sums-");
  const fs::path file = work.path() / "image.raw";
  RealFileSystem().write(file, std::string(3'000'000, 'x'), {});
  write_checksums(file, parse_checksums("1"));
  SystemClock clock;
  RealRunner runner(clock);
  EXPECT_NO_THROW(run_checked(runner, {.argv = {"md5sum", "--check", "--strict", file.string() + ".md5"}}));
  EXPECT_NO_THROW(run_checked(runner, {.argv = {"sha256sum", "--check", "--strict", file.string() + ".sha256"}}));
}

}  // namespace
}  // namespace hearth::builder
