#include "bootstrap/program/program.hpp"

#include <gmock/gmock.h>

#include <set>

#include "base/cli/completion.hpp"
#include "base/cli/help.hpp"
#include "base/cli/layout.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "source_directory.hpp"

namespace hearth::bootstrap::program {
namespace {

using testing::HasSubstr;

cli::Program program() { return make_program("/usr/bin/hearth"); }

TEST(Program, EachCommandIsThereOnceAndInAGroupOfHelp) {
  std::set<std::string> groups;
  for (const cli::Group& group : journeys()) groups.insert(group.name);
  std::set<std::string> words;
  for (const cli::Command& row : program().commands) {
    EXPECT_TRUE(words.insert(row.words).second) << row.words << " is there twice";
    EXPECT_EQ(groups.count(row.group), 1U) << row.words << " is in '" << row.group << "'";
    EXPECT_FALSE(row.summary.empty()) << row.words;
  }
}

TEST(Program, AMisspeltVariableIsToldWithTheOneThatWasMeant) {
  EXPECT_THAT(misspelt_variables(
                  {{"HEARTH_REMOTE_CAHE", "x"}, {"HEARTH_LAYERS", "copies"}, {"HEARTH_LONG", "1"}, {"HOME", "/"}}),
              testing::ElementsAre(
                  "warning: HEARTH_REMOTE_CAHE is set, and nothing reads it; did you mean HEARTH_REMOTE_CACHE?"));
}

TEST(Program, TwelveCommandsAreShownFirst) {
  const std::vector<cli::Command> rows = program().commands;
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const cli::Command& row) { return row.first; }), 12);
}

TEST(Program, HelpOfEveryCommandFitsA80ColumnTerminal) {
  for (const cli::Command& row : cli::all_commands(program())) {
    for (const std::string& line : split_lines(cli::command_help(cat("hearth ", row.words), row, 80))) {
      EXPECT_LE(cli::columns(line), 80U) << row.words << ": " << line;
    }
  }
}

TEST(Program, OptionsOfImageCreateAreInGroups) {
  for (const cli::Command& row : program().commands) {
    if (row.words != "image create") continue;
    for (const cli::Option& option : row.options) EXPECT_NE(option.heading, "") << option.display();
  }
}

TEST(Program, ItsLinksAreThoseThatAreInstalled) {
  std::string names;
  for (const cli::Command& link : program().links) names += cat(" ", link.words);
  const std::string text = read_file(fs::path(HEARTH_SOURCE_DIR) / "bootstrap/CMakeLists.txt");
  EXPECT_THAT(text, HasSubstr(cat("set(HEARTH_LINKS", names, ")")));
}

TEST(Program, ShellsAreOfferedCommandsOfFourWords) {
  const cli::Offers found = cli::offers(program(), {"hearth", "baremetal", "introspection", "bulk", "s"});
  ASSERT_EQ(found.words.size(), 2U);
  EXPECT_EQ(found.words[0].word, "start");
}

}  // namespace
}  // namespace hearth::bootstrap::program
