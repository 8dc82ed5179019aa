#include "builder/layers/archive.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "builder/layers/fact_source.hpp"
#include "tests/unit/builder/element_tree.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

std::string packed(const fs::path& root) {
  std::string archive;
  const PackReport report = pack_tree(root, [&](std::string_view bytes) { archive += bytes; });
  EXPECT_EQ(report.packed_bytes, archive.size());
  EXPECT_GT(report.processor_time, Duration::zero());
  return archive;
}

class ArchiveTest : public testing::Test {
 protected:
  ArchiveTest() {
    for (const char* name : {"from/a/b", "to"}) files.make_directories(dir.path() / name, 0755);
    files.write(from() / "a/file", "text", {.mode = 0640});
    files.write(from() / "a/empty", "", {});
    files.write(from() / "big", std::string(9 << 20U, 'x'), {});
    fs::create_symlink("b/../file", from() / "a/link");
  }
  [[nodiscard]] fs::path from() const { return dir.path() / "from"; }
  [[nodiscard]] fs::path to() const { return dir.path() / "to"; }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
};

TEST_F(ArchiveTest, GivesTheSameTreeBackAndTheSameBytesForIt) {
  fs::create_hard_link(from() / "a/file", from() / "hard");
  const std::string archive = packed(from());
  unpack_tree(archive, to());
  EXPECT_EQ(tree_digest(files, from()), tree_digest(files, to()));
  EXPECT_EQ(packed(to()), archive) << "owners, modes, times, links and inodes are in it";
  EXPECT_EQ(fs::hard_link_count(to() / "hard"), 2U);
  EXPECT_EQ(fs::read_symlink(to() / "a/link"), "b/../file");
}

TEST_F(ArchiveTest, HolesStayHoles) {
  const Fd file = Fd::open((from() / "sparse").string(), O_WRONLY | O_CREAT, 0644);
  ASSERT_EQ(::pwrite(file.get(), "x", 1, 40 << 20), 1);
  ASSERT_EQ(::ftruncate(file.get(), 80 << 20), 0);
  unpack_tree(packed(from()), to());
  struct stat status {};
  ASSERT_EQ(::stat((to() / "sparse").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 80 << 20);
  EXPECT_LT(status.st_blocks * 512, 8 << 20);
}

TEST_F(ArchiveTest, WhatAnOverlayWritesIsKeptToo) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([&] {
    ASSERT_EQ(::mknod((from() / "whiteout").c_str(), S_IFCHR, 0), 0);
    ASSERT_EQ(::chown((from() / "big").c_str(), 1000, 42), 0);
    ASSERT_EQ(::chmod((from() / "big").c_str(), 04755), 0);
    unpack_tree(packed(from()), to());
    struct stat status {};
    EXPECT_EQ(::lstat((to() / "whiteout").c_str(), &status), 0);
    EXPECT_TRUE(S_ISCHR(status.st_mode));
    EXPECT_EQ(::lstat((to() / "big").c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 1000U);
    EXPECT_EQ(status.st_mode & 07777U, 04755U);
  });
}

TEST_F(ArchiveTest, DamageIsNoticedWhereverItIs) {
  const std::string archive = packed(from());
  for (std::size_t at = 0; at < archive.size(); at += archive.size() / 97 + 1) {
    std::string damaged = archive;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
    const fs::path target = dir.path() / cat("damaged-", at);
    fs::create_directory(target);
    EXPECT_NE(story_of([&] {
                unpack_tree(damaged, target);
                return 0;
              }),
              "")
        << "byte " << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, archive.size() / 2, archive.size() - 1}) {
    EXPECT_THAT(story_of([&] {
                  unpack_tree(archive.substr(0, size), to());
                  return 0;
                }),
                AnyOf(HasSubstr("not a whole"), HasSubstr("damaged")));
  }
}

}  // namespace
}  // namespace hearth::builder
