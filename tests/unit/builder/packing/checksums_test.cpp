#include "builder/packing/checksums.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {
namespace {

TEST(ChecksumsTest, EveryDigestComesFromOneReadingAndSha512sumChecksIt) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "sums-");
  const fs::path file = work.path() / "image.raw";
  const std::string text(9'000'000, 'x');
  RealFileSystem().write(file, text, {});
  const std::vector<HashKind> kinds = {HashKind::md5, HashKind::sha256, HashKind::sha512};
  const Fd fd = Fd::open(file.string(), O_RDONLY);
  const std::vector<std::string> digests = digests_of(fd, kinds);
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(digests[i], hex_digest(kinds[i], text));
  write_checksum_files(file, kinds, digests);
  SystemClock clock;
  RealRunner runner(clock);
  EXPECT_NO_THROW(run_checked(
      runner, {.argv = {"env", "-C", work.path().string(), "sha512sum", "--check", "--strict", "image.raw.sha512"}}));
  const fs::path moved = work.path() / "elsewhere";
  fs::create_directory(moved);
  for (const char* name : {"image.raw", "image.raw.sha512"}) fs::rename(work.path() / name, moved / name);
  EXPECT_NO_THROW(
      run_checked(runner, {.argv = {"env", "-C", moved.string(), "sha512sum", "--check", "image.raw.sha512"}}));
  EXPECT_TRUE(digests_of(fd, {}).empty());
}

}  // namespace
}  // namespace hearth::builder
