#include "builder/disk/btrfs/btrfs_ids.hpp"

#include <gmock/gmock.h>

#include <set>

#include "builder/disk/copy/sparse_copy.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t k_size = 160 * k_mib;

/// "transid N data_len 0 name_len 3" of names and attributes; mkfs.btrfs leaves what was in its memory in some.
std::set<std::string> transactions_of_names(const std::string& trees) {
  std::set<std::string> found;
  for (const std::string& line : split_lines(trees)) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() > 2 && words[0] == "transid" && words[2] == "data_len") found.insert(words[1]);
  }
  return found;
}

/// The last transaction of a file system.
std::uint64_t generation(const std::string& super) {
  for (const std::string& line : split_lines(super)) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() == 2 && words[0] == "generation") return parse_number(words[1]).value_or(0);
  }
  return 0;
}

class BtrfsIdsTest : public DiskFixture {
 protected:
  bool have_btrfs_ = find_program("mkfs.btrfs", maker_environment(0)).has_value();

  fs::path make(const std::string& name) {
    const fs::path tree = work_.path() / "tree";
    fs::path image = work_.path() / name;
    if (!fs::exists(tree)) make_tree(tree);
    (void)::setxattr((tree / "etc/config").c_str(), "user.note", "hello", 5, 0);
    create_sparse_file(image, k_size);
    const DiskFileSystem btrfs{
        .name = "b", .type = "btrfs", .label = "b", .uuid = "11111111-2222-4333-8444-555555555555"};
    make_btrfs({.file_system = btrfs,
                .extent = {0, k_size},
                .image = image,
                .source = tree,
                .scratch = work_.path(),
                .epoch = k_epoch},
               runner_);
    return image;
  }
};

TEST_F(BtrfsIdsTest, TwoFileSystemsOfOneTreeAreTheSameBytesAndSound) {
  if (!have_btrfs_) GTEST_SKIP() << "mkfs.btrfs is not installed";
  const int code = privately([&] {
    (void)make("first");
    (void)make("second");
    return HasFailure() ? 1 : 0;
  });
  if (code == 77) GTEST_SKIP() << "no user namespaces here";
  ASSERT_EQ(code, 0);
  const fs::path first = work_.path() / "first";
  const fs::path second = work_.path() / "second";
  EXPECT_THAT(tool({"cmp", first.string(), second.string()}), HasSubstr("exit code 0"));
  EXPECT_THAT(tool({"btrfs", "check", "--readonly", first.string()}), HasSubstr("no error found"));
  const BtrfsIds ids = btrfs_ids("11111111-2222-4333-8444-555555555555");
  const std::string trees = tool({"btrfs", "inspect-internal", "dump-tree", first.string()});
  EXPECT_THAT(trees, HasSubstr(ids.subvolume));
  const std::string super = tool({"btrfs", "inspect-internal", "dump-super", first.string()});
  EXPECT_THAT(super, HasSubstr(ids.device));
  const std::uint64_t latest = generation(super);
  EXPECT_GT(latest, 0U) << super;
  const std::set<std::string> transactions = transactions_of_names(trees);
  EXPECT_THAT(transactions, Not(IsEmpty()));
  for (const std::string& each : transactions) EXPECT_LE(parse_number(each).value_or(~0ULL), latest) << each;
}

TEST_F(BtrfsIdsTest, WhatIsNoBtrfsIsRefused) {
  files_.write(work_.path() / "zeros", std::string(k_mib, '\0'), {});
  EXPECT_THROW(normalise_btrfs(work_.path() / "zeros", btrfs_ids("x"), 0), Error);
}

}  // namespace
}  // namespace hearth::builder
