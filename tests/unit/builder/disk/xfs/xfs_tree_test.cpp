#include "builder/disk/xfs/xfs_tree.hpp"

#include <gmock/gmock.h>

#include "base/byte_order.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// As XFS hashes the names of directories.
std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) hash = (hash << 7U | hash >> 25U) ^ static_cast<unsigned char>(c);
  return hash;
}

TEST(XfsStandInTest, HasTheLengthAndTheHashOfTheNameAndCanBeTold) {
  for (const std::string name : {"a b", "script (dev).tmpl", " x", "x ", "two  blanks", "tab\there", ":colon", "a\nb",
                                 "all   blank ", "\xa0 x", "many words in a long name, with a comma"}) {
    const std::string told = xfs_stand_in(name).value_or("nothing");
    EXPECT_EQ(told.size(), name.size()) << name;
    EXPECT_EQ(hash_of(told), hash_of(name)) << name;
    EXPECT_EQ(told.find_first_of(" \t\n"), std::string::npos) << name;
    EXPECT_NE(told.front(), ':') << name;
  }
  EXPECT_EQ(xfs_stand_in("plain:name$"), "plain:name$");
  for (const std::string name : {" ", "$", ":"}) EXPECT_EQ(xfs_stand_in(name), std::nullopt) << name;
}

TEST(XfsAttributesTest, AreWrittenByNamespaceAndAclsInXfsForm) {
  const std::string acl("\2\0\0\0\1\0\6\0\xff\xff\xff\xff", 12);
  const std::string fork =
      xfs_attribute_fork(
          {{"security.capability", "cap"}, {"user.note", "hello"}, {"system.posix_acl_access", acl}, {"odd.name", "x"}},
          200)
          .value();
  EXPECT_EQ(get_be(fork, 0, 2), fork.size());
  EXPECT_EQ(get_be(fork, 2, 1), 3U);
  EXPECT_THAT(fork, HasSubstr(std::string("\x0a\x03\x04") + "capabilitycap"));
  EXPECT_THAT(fork, HasSubstr(std::string("\x04\x05\0", 3) + "notehello"));
  EXPECT_THAT(fork, HasSubstr(std::string("\x0c\x10\x02") + "SGI_ACL_FILE" +
                              std::string("\0\0\0\1\0\0\0\1\xff\xff\xff\xff\0\6\0\0", 16)));
  EXPECT_EQ(xfs_attribute_fork({{"user.note", std::string(100, 'x')}}, 50), std::nullopt);
  EXPECT_EQ(xfs_attribute_fork({{"user.note", std::string(300, 'x')}}, 5000), std::nullopt);
  EXPECT_EQ(xfs_attribute_fork({}, 0), "");
}

class XfsTreeTest : public DiskFixture {
 protected:
  fs::path tree_ = work_.path() / "tree";
  fs::path links_ = work_.path() / "links";
  void SetUp() override {
    fs::create_directory(tree_);
    fs::create_directory(links_);
  }
  std::string obstacle() { return xfs_obstacle(read_xfs_tree(tree_)).value_or("none"); }
};

TEST_F(XfsTreeTest, ThePrototypeTellsEachKindOfFileInTheOrderOfTheirNames) {
  files_.write(tree_ / "b", "b", {});
  files_.write(tree_ / "a name", "x", {});
  files_.write(tree_ / "empty", "", {});
  files_.make_directories(tree_ / "d", 0755);
  fs::create_hard_link(tree_ / "b", tree_ / "d/twin");
  fs::create_symlink("b", tree_ / "link");
  fs::create_symlink("a name", tree_ / "odd");
  ASSERT_EQ(::mkfifo((tree_ / "pipe").c_str(), 0600), 0);
  fs::resize_file(tree_ / "empty", 5 * k_mib);
  const std::string text = xfs_prototype(read_xfs_tree(tree_), links_);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("---644 0 0 o1\nb ---644 0 0 t/b\nd d--755 0 0\ntwin ---644 0 0 e\n$\nempty ---644 0 0 e\n"),
            HasSubstr("link l--777 0 0 b\nodd l--777 0 0 xxxxxx\npipe p--644 0 0\n$\n"), Not(HasSubstr("a name"))));
  EXPECT_EQ(read_file(links_ / "o1"), "x");
  EXPECT_EQ(read_file(links_ / "t/b"), "b");
}

TEST_F(XfsTreeTest, WhatAPrototypeCantTellIsAnObstacleWithItsPath) {
  files_.write(tree_ / "fine", "x", {});
  EXPECT_EQ(obstacle(), "none");
  files_.write(tree_ / "$", "x", {});
  EXPECT_THAT(obstacle(), HasSubstr("/tree/$"));
  fs::remove(tree_ / "$");
  fs::create_symlink(std::string(400, 't'), tree_ / "far");
  EXPECT_THAT(obstacle(), HasSubstr("/tree/far has a very long target"));
  fs::remove(tree_ / "far");
  files_.write(tree_ / "large", "x", {});
  fs::resize_file(tree_ / "large", std::uintmax_t{3} << 30U);
  EXPECT_THAT(obstacle(), HasSubstr("/tree/large is larger than 2 GiB"));
  EXPECT_EQ(xfs_obstacle(std::vector<std::string>{"-d", "agcount=2"}), std::nullopt);
  EXPECT_THAT(xfs_obstacle(std::vector<std::string>{"-m", "crc=0"}).value_or(""), HasSubstr("its options (-m crc=0)"));
}

}  // namespace
}  // namespace hearth::builder
