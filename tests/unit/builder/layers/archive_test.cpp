#include "builder/layers/archive.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/text.hpp"
#include "builder/layers/archive_entry.hpp"
#include "builder/layers/fact_source.hpp"
#include "builder/layers/frame_codec.hpp"
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

TEST_F(ArchiveTest, HardLinksKeepNamesOfAnyLength) {
  for (const char* name : {"a/a-name-of-more-than-fifteen-bytes", "a/another-name-that-is-as-long", "short"})
    fs::create_hard_link(from() / "a/file", from() / name);
  unpack_tree(packed(from()), to());
  EXPECT_EQ(tree_digest(files, from()), tree_digest(files, to()));
  EXPECT_EQ(fs::hard_link_count(to() / "a/another-name-that-is-as-long"), 4U);
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

/// An archive of frames that pack_tree() would not write.
std::string archive_of(const std::vector<std::string>& frames) {
  FrameCodec codec;
  std::string archive = "HLAYER2\n";
  std::string index;
  for (const std::string& frame : frames) {
    const std::string_view packed_frame = codec.pack(frame);
    wire::put(index, static_cast<std::uint64_t>(archive.size()));
    wire::put(index, static_cast<std::uint64_t>(packed_frame.size()));
    archive += packed_frame;
  }
  const std::string packed_index(codec.pack(index));
  std::string trailer;
  wire::put(trailer, static_cast<std::uint64_t>(archive.size()));
  wire::put(trailer, static_cast<std::uint64_t>(packed_index.size()));
  return cat(archive, packed_index, trailer, "HLAYER2\n");
}

TEST_F(ArchiveTest, NoPathLeadsOutOfTheDirectory) {
  const fs::path outside = dir.path() / "outside";
  files.make_directories(outside, 0755);
  files.make_directories(from() / "esc", 0755);
  files.write(from() / "esc/file", "pwned", {});
  files.write(from() / "own", "", {});
  files.write(outside / "secret", "x", {});
  const auto bytes = [&](const ArchiveEntry& entry) {
    std::string out;
    put_entry(out, entry, from());
    return out;
  };
  const ArchiveEntry root{.path = "", .link = "", .mode = S_IFDIR | 0755U};
  const ArchiveEntry link{.path = "esc", .link = outside.string(), .mode = S_IFLNK | 0777U};
  const ArchiveEntry up_link{.path = "esc", .link = "../outside", .mode = S_IFLNK | 0777U};
  const ArchiveEntry file{.path = "esc/file", .link = "", .mode = S_IFREG | 0755U, .size = 5};
  const ArchiveEntry folder{.path = "esc/folder", .link = "", .mode = S_IFDIR | 0755U};
  const ArchiveEntry over{.path = "esc", .link = "", .mode = S_IFDIR | 0700U};
  const ArchiveEntry hard{.path = "stolen", .link = "esc/secret", .hard_link = true, .mode = S_IFREG | 0644U};
  const ArchiveEntry planted{.path = "esc/hard", .link = "own", .hard_link = true, .mode = S_IFREG | 0644U};
  const ArchiveEntry own{.path = "own", .link = "", .mode = S_IFREG | 0644U};
  const ArchiveEntry dots{.path = "../outside/dots", .link = "", .mode = S_IFIFO | 0644U};
  const ArchiveEntry absolute{.path = cat(outside.string(), "/abs"), .link = "", .mode = S_IFIFO | 0644U};
  const std::vector<std::vector<std::string>> attacks = {
      {bytes(root) + bytes(link), bytes(file), ""},     // the review's: a link among the directories
      {bytes(root), bytes(link) + bytes(file), ""},     // the link among the files
      {bytes(root), bytes(up_link) + bytes(file), ""},  // relative
      {bytes(root), bytes(link) + bytes(folder), ""},   // a directory among the files
      {bytes(root), bytes(link), bytes(hard)},          // a hard link from outside
      {bytes(root), bytes(link) + bytes(own), bytes(planted)},
      {bytes(root) + bytes(hard), "", ""},
      {bytes(root), bytes(dots), ""},
      {bytes(root), bytes(absolute), ""},
  };
  for (std::size_t i = 0; i < attacks.size(); ++i) {
    const fs::path target = dir.path() / cat("target-", i);
    fs::create_directory(target);
    EXPECT_NE(story_of([&] {
                unpack_tree(archive_of(attacks[i]), target);
                return 0;
              }),
              "")
        << "attack " << i;
    EXPECT_EQ(files.list(outside), std::vector<std::string>{"secret"}) << "attack " << i;
    EXPECT_FALSE(fs::exists(target / "stolen")) << "attack " << i;
  }
  const fs::path there_already = dir.path() / "with-a-link";  // a directory's mode must not reach what a link names
  fs::create_directory(there_already);
  fs::create_symlink(outside, there_already / "esc");
  EXPECT_NE(story_of([&] {
              unpack_tree(archive_of({bytes(root) + bytes(over), "", ""}), there_already);
              return 0;
            }),
            "");
  EXPECT_EQ(files.status(outside)->mode, 0755U);
}

TEST_F(ArchiveTest, AttributesOfAnySizeAreKept) {
  const TempDir memory = TempDir::create("/dev/shm", "hearth-test-");
  const TempDir disk = TempDir::create(dir.path(), "disk-");
  const auto takes = [this](const fs::path& place, const std::string& value) {
    for (const char* name : {"from", "to"}) fs::create_directory(place / name);
    files.write(place / "from/file", "text", {});
    return ::setxattr((place / "from/file").c_str(), "user.long", value.data(), value.size(), 0) == 0;
  };
  // A tmpfs takes users' attributes from Linux 6.6 on; ext4 has 4 KiB for all of a file's.
  const bool in_memory = takes(memory.path(), std::string(60000, 'v'));
  const fs::path place = in_memory ? memory.path() : disk.path();
  const std::string long_value(in_memory ? 60000 : 2000, 'v');
  ASSERT_TRUE(in_memory || takes(place, long_value)) << std::strerror(errno);
  const fs::path file = place / "from/file";
  for (int i = 0; i < (in_memory ? 40 : 4); ++i) {  // in memory their names take more than 4 KiB
    const std::string name = cat("user.", std::string(200, 'n'), i);
    ASSERT_EQ(::setxattr(file.c_str(), name.c_str(), "x", 1, 0), 0);
  }
  const std::string archive = packed(place / "from");
  unpack_tree(archive, place / "to");
  std::string value(70000, ' ');
  const ssize_t size = ::getxattr((place / "to/file").c_str(), "user.long", value.data(), value.size());
  EXPECT_EQ(value.substr(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0))), long_value);
  EXPECT_EQ(packed(place / "to"), archive);
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
