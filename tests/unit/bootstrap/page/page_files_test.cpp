#include "bootstrap/page/page_files.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "source_directory.hpp"

namespace hearth::bootstrap {
namespace {

TEST(PageFiles, areTheSourceTreesByteForByteWithTypesForBrowsers) {
  std::set<std::string> types;
  for (const PageFile& file : page_files()) {
    const fs::path path = fs::path(HEARTH_SOURCE_DIR) / "bootstrap/page/files" / file.name;
    EXPECT_EQ(RealFileSystem().read(path), std::string(file.body)) << file.name;
    types.insert(file.type.substr(0, file.type.find(';')));
  }
  EXPECT_EQ(types, (std::set<std::string>{"text/html", "text/css", "text/javascript", "image/svg+xml"}));
}

TEST(PageFiles, nameNoOtherHostAndHaveNoScriptOrStyleInThePage) {
  const std::regex outside(R"((https?:)?//[a-z0-9-]+\.[a-z])", std::regex::icase);
  for (const PageFile& file : page_files()) {
    std::string text = replace_all(std::string(file.body), "http://www.w3.org/2000/svg", "");
    EXPECT_FALSE(std::regex_search(text, outside)) << file.name;
    if (file.name == "index.html") {
      EXPECT_FALSE(
          std::regex_search(text, std::regex(R"(<style|\sstyle=|\son[a-z]+=|<script(?! type="module" src=))")));
    }
    EXPECT_EQ(text.find("innerHTML"), std::string::npos) << file.name;
  }
}

}  // namespace
}  // namespace hearth::bootstrap
