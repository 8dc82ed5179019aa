#include "agent/cfn/init.hpp"
#include "base/error.hpp"
#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(CfnTest, FilesHaveContentModeAndOwner) {
  files_.put("/etc/passwd", "root:x:0:0::/root:/bin/sh\nweb:x:33:34::/:/bin/false\n");
  files_.put("/etc/group", "www:x:35:\n");
  http_.on("GET", "http://h/f", 200, "from there");
  apply_files(json(R"({"/a/b": {"content": "text", "mode": "000600", "owner": "web", "group": "www"},
      "/json": {"content": {"k": [1]}}, "/src": {"source": "http://h/f", "owner": "nobody-here"}, "/none": {}})"),
              world());
  const auto& file = files_.files.at("/a/b");
  EXPECT_EQ(file.data, "text");
  EXPECT_EQ(file.attributes.mode, 0600U);
  EXPECT_EQ(file.attributes.uid, 33U);
  EXPECT_EQ(file.attributes.gid, 35U);
  EXPECT_EQ(files_.files.at("/json").data, "{\n    \"k\": [\n        1\n    ]\n}");
  EXPECT_EQ(files_.files.at("/json").attributes.mode, 0644U);
  EXPECT_EQ(files_.files.at("/src").data, "from there");
  EXPECT_EQ(files_.files.count("/none"), 0U);
  EXPECT_TRUE(log_.holds("/none has neither content nor source"));
}

TEST_F(CfnTest, AnExistingFileKeepsItsModeUnlessOneIsGiven) {
  files_.put("/a", "old", 0640);
  apply_files(json(R"({"/a": {"content": "new"}})"), world());
  EXPECT_EQ(files_.files.at("/a").attributes.mode, 0640U);
}

TEST_F(CfnTest, AFileThatCannotBeMadeIsAnError) {
  EXPECT_THROW(apply_files(json(R"({"/a": {"content": "x", "mode": "rw-"}})"), world()), Error);
  EXPECT_THROW(apply_files(json(R"({"/a": {"source": "http://h/none"}})"), world()), Error);
  files_.fail_write_after(0);
  EXPECT_THROW(apply_files(json(R"({"/a": {"content": "x"}})"), world()), Error);
}

}  // namespace
}  // namespace hearth::agent
