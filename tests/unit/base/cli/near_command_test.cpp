#include "base/cli/near_command.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> meant(const std::string& line) {
  return commands_of_words({"image create", "image inspect", "image unload", "image list", "node list", "node show",
                            "node power on", "node power off", "node boot-log", "node set", "node port list",
                            "baremetal import", "stack list", "stack resource list", "stack output show", "deploy"},
                           split_words(line));
}

TEST(NearCommand, WordsStandInAnotherOrder) {
  EXPECT_THAT(meant("list nodes"), ElementsAre("node list"));
  EXPECT_THAT(meant("create image"), ElementsAre("image create"));
  EXPECT_THAT(meant("node alpha power on"), ElementsAre("node power on alpha"));
  EXPECT_THAT(meant("node power alpha off"), ElementsAre("node power off alpha"));
}

TEST(NearCommand, WordsStandInOneOrInThePlural) {
  EXPECT_THAT(meant("node_list"), ElementsAre("node list"));
  EXPECT_THAT(meant("disk-image-create vm"), ElementsAre("image create"));
  EXPECT_THAT(meant("node power_on alpha"), ElementsAre("node power on"));
  EXPECT_THAT(meant("node boot_log alpha"), ElementsAre("node boot-log"));
  EXPECT_THAT(meant("images list"), ElementsAre("image list"));
  EXPECT_THAT(meant("stack resources demo"), ElementsAre("stack resource list"));
}

TEST(NearCommand, OtherProgramsHaveTheirOwnBeginningsAndWords) {
  EXPECT_THAT(meant("openstack baremetal node list"), ElementsAre("node list"));
  EXPECT_THAT(meant("baremetal node show alpha"), ElementsAre("node show"));
  EXPECT_THAT(meant("image describe"), ElementsAre("image inspect"));
  EXPECT_THAT(meant("image rm disk"), ElementsAre("image unload"));
  EXPECT_THAT(meant("node lsit"), ElementsAre("node list"));
}

TEST(NearCommand, AWordOfACommandBetweenIsNotPassedOver) {
  EXPECT_THAT(meant("node boot device set alpha"), IsEmpty());
  EXPECT_THAT(meant("node power frob alpha"), IsEmpty());
  EXPECT_THAT(meant("quite another"), IsEmpty());
}

TEST(NearCommand, APartOfAWordIsNoMistypedOneWhereTheRestIsLeftOver) {
  EXPECT_THAT(commands_of_words({"image boot", "node service"}, {"node", "boot-device", "alpha"}), IsEmpty());
  EXPECT_THAT(meant("image_craete"), ElementsAre("image create"));
}

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

}  // namespace
}  // namespace hearth::cli
