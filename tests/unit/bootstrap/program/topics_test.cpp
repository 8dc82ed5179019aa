#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "base/cli/help.hpp"
#include "base/cli/layout.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/program/program.hpp"
#include "builder/plan/builders_variables.hpp"
#include "source_directory.hpp"

namespace hearth::bootstrap::program {
namespace {

using testing::HasSubstr;

std::string topic(const std::string& name) { return cli::topic_help(make_program("/usr/bin/hearth"), name, 80); }

/// The names that begin with one of these and stand in quotes in the product's sources.
std::set<std::string> quoted_names(const std::vector<std::string>& beginnings) {
  std::set<std::string> names;
  for (const char* room : {"agent", "base", "bootstrap", "builder", "metadata", "pxe"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(HEARTH_SOURCE_DIR) / room)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string code = read_file(entry.path());
      for (const std::string& beginning : beginnings) {
        const std::string quoted = cat("\"", beginning, "_");
        for (std::size_t at = code.find(quoted); at != std::string::npos; at = code.find(quoted, at + 1)) {
          const std::size_t end = code.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at + 1);
          if (end != std::string::npos && code[end] == '"' && end > at + quoted.size())
            names.insert(code.substr(at + 1, end - at - 1));
        }
      }
    }
  }
  return names;
}

TEST(Topics, EnvironmentNamesEveryVariableOfOurs) {
  std::set<std::string> names = quoted_names({"HEARTH"});
  EXPECT_GT(names.size(), 15U);
  names.erase("HEARTH_LIVE");  // the label of a live ISO
  const std::string text = topic("environment");
  for (const std::string& name : names) EXPECT_THAT(text, testing::ContainsRegex(cat(name, "[^A-Z_]")));
}

TEST(Topics, EnvironmentNamesEveryVariableOfOtherProgramsThatIsRead) {
  const std::set<std::string> names = quoted_names({"OS", "XDG", "LIBGUESTFS"});
  EXPECT_EQ(names.count("OS_CACERT") + names.count("XDG_CACHE_HOME") + names.count("LIBGUESTFS_HV"), 3U);
  const std::string text = topic("environment");
  for (const std::string& name : names) EXPECT_THAT(text, testing::ContainsRegex(cat(" ", name, "[, \n]")));
}

TEST(Topics, EnvironmentNamesEveryVariableThatABuildReads) {
  std::set<std::string> names(builder::k_builders_variables.begin(), builder::k_builders_variables.end());
  const std::string code = read_file(fs::path(HEARTH_SOURCE_DIR) / "builder/spec/image_request.cpp");
  const std::regex read("env(ironment)?, \"([A-Za-z_]+)\"");
  for (std::sregex_iterator at(code.begin(), code.end(), read), end; at != end; ++at) names.insert((*at)[2]);
  EXPECT_EQ(names.count("DIB_QUIET") + names.count("SKIP_BASE"), 2U) << "the sources are looked through";
  const std::string text = topic("environment");
  for (const std::string& name : names) EXPECT_THAT(text, testing::ContainsRegex(cat(" ", name, "[, \n]")));
}

TEST(Topics, FilesNamesWhatLiesInAStateDirectory) {
  std::set<std::string> names = {"seal-key", "server.key", "server.pem", "server-authority.pem", "api.socket"};
  const std::regex in_state("(state_?|directory|\\)\\)) / \"([a-z.-]+)\"");
  for (const char* folder : {"bootstrap/cli", "bootstrap/conductor", "bootstrap/gate", "bootstrap/power",
                             "bootstrap/store", "metadata/live"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(HEARTH_SOURCE_DIR) / folder)) {
      const std::string code = read_file(entry.path());
      for (std::sregex_iterator at(code.begin(), code.end(), in_state), end; at != end; ++at) names.insert((*at)[2]);
    }
  }
  EXPECT_EQ(names.count("state.db") + names.count("people") + names.count("audit.log"), 3U);
  const std::string text = topic("files");
  for (const std::string& name : names) EXPECT_THAT(text, testing::ContainsRegex(cat(" ", name, "[/, \n]")));
}

TEST(Topics, RestCallsNamesWhatTheStackEngineRoutesBy) {
  std::set<std::string> words;
  const std::regex routed("(what|parts\\[[0-9]\\]|action) [!=]= \"([A-Za-z_]+)\"");
  for (const char* folder : {"metadata/rest", "metadata/serve"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(HEARTH_SOURCE_DIR) / folder)) {
      const std::string file = entry.path().filename().string();
      if (file != "cfn_api.cpp" && !(file.starts_with("heat_api") && file.ends_with(".cpp"))) continue;
      const std::string code = read_file(entry.path());
      for (std::sregex_iterator at(code.begin(), code.end(), routed), end; at != end; ++at) words.insert((*at)[2]);
    }
  }
  EXPECT_EQ(words.count("snapshots") + words.count("software_configs") + words.count("DescribeStackResource"), 3U);
  const std::string text = topic("rest-calls");
  const std::string of_stacks = text.substr(text.find("A stack service"));
  for (const std::string& word : words) EXPECT_THAT(of_stacks, testing::ContainsRegex(cat("[/= ]", word, "[^a-z_]")));
}

TEST(Topics, AVariableIsATopicItself) {
  EXPECT_EQ(topic("DIB_QUIET"),
            "  DIB_QUIET                     1: nothing is shown; so it is with LOGFILE\n\n"
            "'hearth help environment' has the others.\n");
  EXPECT_THAT(topic("DIB_MANIFEST_IMAGE_DIR"), HasSubstr("its manifests\n                                (/etc/dib"));
  EXPECT_THAT(topic("DIB_BOOTLOADER_USE_SERIAL_CONSOLE"), HasSubstr("no serial one"));
  EXPECT_THAT(topic("OS_PASSWORD"), HasSubstr("  OS_USERNAME, OS_PASSWORD")) << "the second of its row";
}

TEST(Topics, ExitCodesHasWhatCommandsSayOfTheirs) {
  const std::string text = topic("exit-codes");
  EXPECT_THAT(text, HasSubstr("  hearth image diff\n      0 no difference, 3 they differ, 1 failed, 2 wrong usage.\n"));
  EXPECT_THAT(text, HasSubstr("  hearth simulate\n      0 every run came to its end, or"));
}

TEST(Topics, WritingElementsNamesThePhasesInTheirOrder) {
  EXPECT_THAT(topic("writing-elements"), HasSubstr("Phases, in this order: root, extra-data, pre-install, install,"));
}

TEST(Topics, FitAn80ColumnTerminal) {
  for (const cli::Topic& each : help_topics()) {
    for (const std::string& line : split_lines(topic(each.name))) EXPECT_LE(cli::columns(line), 80U) << line;
  }
}

}  // namespace
}  // namespace hearth::bootstrap::program
