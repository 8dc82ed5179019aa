#include "builder/disk/ext/ext_tree.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;

class ExtTreeTest : public DiskFixture {
 protected:
  fs::path tree_ = work_.path() / "tree";
  void SetUp() override { files_.make_directories(tree_, 0755); }
  [[nodiscard]] std::vector<ExtNode> read() const { return read_ext_tree(tree_, 4096); }
  static std::vector<std::string> paths(const std::vector<ExtNode>& nodes) {
    std::vector<std::string> names;
    for (const ExtNode& node : nodes) names.push_back(node.path);
    return names;
  }
};

TEST_F(ExtTreeTest, DirectoriesComeBeforeWhatIsInThemAndNamesInByteOrder) {
  for (const char* directory : {"b/x", "B", "a"}) files_.make_directories(tree_ / directory, 0755);
  for (const char* file : {"b/x/2", "b/x/10", "a/z", "Z"}) files_.write(tree_ / file, "", {});
  const auto nodes = read();
  EXPECT_THAT(paths(nodes), ElementsAre("", "B", "Z", "a", "a/z", "b", "b/x", "b/x/10", "b/x/2"));
  EXPECT_THAT(nodes[5].children, ElementsAre(6U));
  EXPECT_EQ(nodes[8].parent, 6U);
  EXPECT_EQ(nodes[0].links, 5U);
  EXPECT_EQ(nodes[5].links, 3U);
}

TEST_F(ExtTreeTest, FurtherNamesOfAFilePointToItsFirst) {
  files_.make_directories(tree_ / "d", 0755);
  files_.write(tree_ / "d/file", "text", {});
  fs::create_hard_link(tree_ / "d/file", tree_ / "z");
  fs::create_hard_link(tree_ / "d/file", tree_ / "y");
  const auto nodes = read();
  ASSERT_THAT(paths(nodes), ElementsAre("", "d", "d/file", "y", "z"));
  EXPECT_EQ(nodes[3].same_as, 2U);
  EXPECT_EQ(nodes[4].same_as, 2U);
  EXPECT_EQ(nodes[2].links, 3U);
}

TEST_F(ExtTreeTest, HolesAreFoundAndASocketIsLeftOut) {
  files_.write(tree_ / "empty", "", {});
  files_.write(tree_ / "sparse", "x", {});
  fs::resize_file(tree_ / "sparse", 3 * k_mib);
  const Fd file = Fd::open((tree_ / "sparse").string(), O_WRONLY);
  ASSERT_EQ(::pwrite(file.get(), "y", 1, 2 * k_mib + 5), 1);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = (tree_ / "socket").string();
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto nodes = read();
  ASSERT_THAT(paths(nodes), ElementsAre("", "empty", "sparse"));
  EXPECT_TRUE(nodes[1].data.empty());
  EXPECT_THAT(nodes[2].data, ElementsAre(DataRange{0, 4096}, DataRange{2 * k_mib, 4096}));
  EXPECT_EQ(nodes[2].size, 3 * k_mib);
}

TEST_F(ExtTreeTest, LinksHaveTheirTextAndFilesTheirAttributes) {
  fs::create_symlink("../to/nowhere", tree_ / "link");
  files_.write(tree_ / "file", "x", {.mode = 04711});
  const bool has_attributes = ::setxattr((tree_ / "file").c_str(), "user.note", "kept", 4, 0) == 0;
  const auto nodes = read();
  EXPECT_EQ(nodes[2].link, "../to/nowhere");
  EXPECT_EQ(nodes[2].size, 13U);
  EXPECT_EQ(nodes[1].mode & 07777U, 04711U);
  if (!has_attributes) GTEST_SKIP() << "no attributes of users on this file system";
  EXPECT_THAT(nodes[1].attributes, testing::Contains(testing::Pair("user.note", "kept")));
}

}  // namespace
}  // namespace hearth::builder
