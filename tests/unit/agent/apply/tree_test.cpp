#include "agent/apply/tree.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::agent {
namespace {

class TreeTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text, std::uint32_t mode = 0644) {
    const fs::path path = directory_.path() / name;
    files_.make_directories(path.parent_path(), 0755);
    files_.write(path, text, {.mode = mode});
  }
  std::vector<RenderedFile> render(bool strict = false) {
    const JsonRoot root(metadata_);
    return render_tree(scan_templates(directory_.path().string()), {root, files_, runner_, log_, {}, strict});
  }
  std::string error_of(bool strict = false) {
    try {
      (void)render(strict);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  TempDir directory_ = TempDir::create("/tmp", "hearth-tree-");
  RealFileSystem files_;
  SystemClock clock_;
  RealRunner runner_{clock_};
  fakes::MemoryLogger log_;
  Json metadata_ = {{"s", "str"}};
};

TEST_F(TreeTest, FilesBelowTheRootAreTemplatesExceptControlFilesAndLinkedDirectories) {
  put("a/b", "x");
  put("c", "y");
  put("c.oac", "mode: 0600");
  fs::create_directory_symlink(directory_.path() / "a", directory_.path() / "link");
  const std::vector<RenderedFile> found = render();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].relative, "a/b");
  EXPECT_EQ(found[1].control.mode, 0600U);
  EXPECT_TRUE(scan_templates("/no/such/root").empty());
}

TEST_F(TreeTest, AnExecutableGetsTheMetadataOnStdin) {
  put("p", "#!/bin/sh\ncat; echo\n", 0755);
  EXPECT_EQ(render().at(0).content, "{\"s\": \"str\"}\n");
}

TEST_F(TreeTest, AFailingProgramShowsItsOutput) {
  put("p", "#!/bin/sh\necho why >&2; exit 3\n", 0755);
  EXPECT_NE(error_of().find("config script failed: "), std::string::npos);
  EXPECT_NE(error_of().find("why\\n"), std::string::npos);
}

TEST_F(TreeTest, ATemplateErrorIsLoggedWithFileAndLine) {
  put("t", "ok\n{{/s}}");
  EXPECT_NE(error_of().find("could not render moustache template"), std::string::npos);
  EXPECT_TRUE(log_.holds("Section end tag mismatch: s != None (")) << log_.all();
  EXPECT_TRUE(log_.holds("/t:2:1)")) << log_.all();
}

TEST_F(TreeTest, AnUnclosedSectionIsAWarningOrWhenStrictAnError) {
  put("t", "a{{#s}}b");
  EXPECT_EQ(render().at(0).content, "b");
  EXPECT_TRUE(log_.holds("WARNING section s is never closed")) << log_.all();
  EXPECT_NE(error_of(true), "no error");
}

TEST_F(TreeTest, KeysThatTheMetadataLackAreAllNamedWithTemplateAndLine) {
  metadata_ = Json::parse(R"({"s": "str", "n": null, "l": [{"a": 1}, {}]})");
  put("first", "{{s}}\n\n{{gone}} {{#gone}}{{gone.x}}{{/gone}}{{^gone}}{{n}}{{/gone}}\n");
  put("second", "{{#l}}\n{{a}}\n{{/l}}\n");
  EXPECT_EQ(render().at(0).content, "str\n\n \n");  // without being asked, nothing is missed
  const JsonRoot root(metadata_);
  const RenderContext context{root, files_, runner_, log_, {}, false, true};
  try {
    (void)render_tree(scan_templates(directory_.path().string()), context);
    FAIL() << "nothing is missed";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "templates need 3 values that the metadata do not have; nothing is written");
  }
  EXPECT_TRUE(log_.holds("/first:3: the metadata have no gone")) << log_.all();
  EXPECT_TRUE(log_.holds("/first:3: the metadata have no n")) << log_.all();
  EXPECT_TRUE(log_.holds("/second:2: the metadata have no a")) << log_.all();
}

}  // namespace
}  // namespace hearth::agent
