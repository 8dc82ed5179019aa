#include "builder/inspect/file_tree.hpp"

#include <gmock/gmock.h>
#include <sys/xattr.h>

#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/packing/tree_archive.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

class ExtReaderTest : public DiskFixture {
 protected:
  fs::path tree_ = work_.path() / "tree";
  fs::path raw_ = work_.path() / "raw";
  void make(const std::string& type, std::uint64_t offset) {
    create_sparse_file(raw_, offset + 32 * k_mib);
    const DiskFileSystem ext{.name = "e", .type = type, .label = "e", .uuid = "11111111-2222-4333-8444-555555555555"};
    make_ext({.file_system = ext,
              .extent = {offset, 32 * k_mib},
              .image = raw_,
              .source = tree_,
              .scratch = work_.path(),
              .epoch = k_epoch},
             runner_);
  }
};

TEST_F(ExtReaderTest, TheFileSystemHasTheFilesOfTheTreeItWasMadeFrom) {
  make_tree(tree_);
  (void)::setxattr((tree_ / "bin/tool").c_str(), "user.note", "hello", 5, 0);
  files_.write(tree_ / "etc/hostname", "machine\n", {});
  fs::create_symlink(std::string(100, 'x'), tree_ / "etc/long-link");
  write_tree_archive(tree_, work_.path() / "tar", Compression::none, k_epoch);
  const FileTree expected = read_archive(work_.path() / "tar");
  for (const char* type : {"ext2", "ext4"}) {
    make(type, 3 * k_mib);
    const FileTree found = read_ext(raw_, 3 * k_mib);
    EXPECT_EQ(found.text("etc/hostname"), "machine\n");
    EXPECT_EQ(found.entries.size(), expected.entries.size());
    for (const auto& [path, entry] : expected.entries) {
      const auto there = found.entries.find(path);
      ASSERT_NE(there, found.entries.end()) << path;
      EXPECT_EQ(there->second.content, entry.content) << path;
      EXPECT_EQ(there->second.attributes, entry.attributes) << path;
      EXPECT_EQ(there->second, entry) << type << " " << path;
    }
  }
}

TEST_F(ExtReaderTest, DamageIsToldInWordsWithWhatToDoNext) {
  make_tree(tree_);
  make("ext4", 3 * k_mib);
  std::string disk = read_file(raw_);
  disk[3 * k_mib + 1024 + 0x4c] ^= 0x40;  // s_rev_level
  files_.write(raw_, disk, {});
  try {
    (void)read_ext(raw_, 3 * k_mib);
    FAIL() << "damage was not noticed";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), testing::HasSubstr("Superblock checksum does not match"));
    EXPECT_THAT(error.story(), testing::HasSubstr(cat("e2fsck -fn '", raw_.string(), "?offset=3145728'")));
  }
}

TEST_F(ExtReaderTest, WhatIsNoExtIsAnError) {
  create_sparse_file(raw_, k_mib);
  EXPECT_THROW((void)read_ext(raw_, 0), Error);
}

}  // namespace
}  // namespace hearth::builder
