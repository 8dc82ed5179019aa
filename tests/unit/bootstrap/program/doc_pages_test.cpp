#include "bootstrap/program/doc_pages.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/cli/help.hpp"
#include "base/cli/layout.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/program/program.hpp"
#include "source_directory.hpp"

namespace hearth::bootstrap::program {
namespace {

using testing::HasSubstr;

TEST(DocPages, AreTheFilesOfTheManual) {
  std::map<std::string, std::string> files;
  const fs::path docs = fs::path(HEARTH_SOURCE_DIR) / "docs";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(docs)) {
    const std::string name = entry.path().lexically_relative(docs).string();
    if (!name.ends_with(".md") || name.ends_with("README.md")) continue;
    files[name.substr(0, name.size() - 3)] = read_file(entry.path());
  }
  std::map<std::string, std::string> pages;
  for (const cli::Page& page : doc_pages()) pages[page.name] = page.text;
  EXPECT_GT(pages.size(), 20U);
  EXPECT_EQ(pages, files);
}

TEST(DocPages, HaveAHeadlineAndANameOfTheirOwn) {
  std::set<std::string> names;
  for (const cli::Page& page : doc_pages()) {
    EXPECT_EQ(page.text.rfind(cat("# ", page.title, "\n"), 0), 0U) << page.name;
    EXPECT_TRUE(names.insert(page.name.substr(page.name.find('/') + 1)).second) << page.name;
  }
}

TEST(DocPages, HelpPrintsThem) {
  const cli::Program program = make_program("/usr/bin/hearth");
  EXPECT_EQ(cli::topic_help(program, "howto/ssh", 80), cli::topic_help(program, "ssh", 80));
  EXPECT_THAT(cli::topic_help(program, "ssh", 80), HasSubstr("# Log in to an image by ssh\n"));
  EXPECT_THAT(cli::topic_help(program, "manual", 80), HasSubstr("howto/ssh"));
}

TEST(DocPages, TablesFitAn80ColumnTerminal) {
  const cli::Program program = make_program("/usr/bin/hearth");
  for (const cli::Page& page : program.pages) {
    for (const std::string& line : split_lines(cli::topic_help(program, page.name, 80))) {
      if (line.starts_with('|')) {
        EXPECT_LE(cli::columns(line), 80U) << page.name << ": " << line;
      }
    }
  }
}

}  // namespace
}  // namespace hearth::bootstrap::program
