#include "base/cli/near_command.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::cli {
namespace {

using testing::HasSubstr;

std::string refused_line(const std::string& line) {
  const auto nothing = [](const Arguments&) { return 0; };
  Program program{.name = "demo", .summary = "", .version = "1", .commands = {}};
  for (const auto& [words, operands] : std::vector<std::pair<std::string, std::string>>{{"node list", ""},
                                                                                        {"node show", "NODE"},
                                                                                        {"node deploy", "NODE…"},
                                                                                        {"deploy", ""},
                                                                                        {"stack create", "NAME"}})
    program.commands.push_back({.words = words, .operands = operands, .summary = "", .run = nothing});
  program.commands.back().options = {{"token-file", 0, "FILE", ""}, {"template", 't', "FILE", ""}};
  testing::internal::CaptureStderr();
  const int code = run(program, split_words(line));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, said.empty() ? 0 : 2) << line;
  return said;
}

TEST(NearCommand, OptionsStandBehindACommand) {
  EXPECT_THAT(refused_line("--verbose node list"),
              HasSubstr("did you mean 'node list --verbose'?\n  Options stand behind"));
  EXPECT_THAT(refused_line("-V"), HasSubstr("did you mean '--version'?"));
  EXPECT_THAT(refused_line("node --list"), HasSubstr("did you mean 'node list'?"));
  EXPECT_THAT(refused_line("node --frob"), HasSubstr("behind it stands one of deploy, list, show"));
}

TEST(NearCommand, OneWordTooManyIsToldWithWhatTakesIt) {
  EXPECT_EQ(refused_line("stack create demo"), "");
  EXPECT_THAT(refused_line("stack create demo top.yaml"),
              HasSubstr("'top.yaml' is one word too many: demo stack create takes NAME\n"
                        "  A file is named by -t, --template FILE."));
  EXPECT_THAT(refused_line("node list alpha"), HasSubstr("takes options only; did you mean 'node show alpha'?"));
  EXPECT_THAT(refused_line("deploy node alpha"), HasSubstr("did you mean 'node deploy'?"));
}

TEST(NearCommand, AWordAloneThatOthersUseIsToldWithOurs) {
  EXPECT_THAT(refused_line("ls"), HasSubstr("no command 'ls'; did you mean 'node list'?"));
  EXPECT_THAT(refused_line("make"), HasSubstr("did you mean 'stack create'?"));
  EXPECT_THAT(refused_line("frob"), HasSubstr("there is no command 'frob'\n"));
}

}  // namespace
}  // namespace hearth::cli
