#include "base/cli/command_words.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> meant(const std::string& line) {
  return commands_of_words({"image create", "image inspect", "image unload", "image list", "node list", "node show",
                            "node power on", "node power off", "node boot-log", "node set", "node port list",
                            "baremetal import", "stack list", "stack resource list", "stack output show", "deploy"},
                           split_words(line));
}

TEST(CommandWords, WordsStandInAnotherOrder) {
  EXPECT_THAT(meant("list nodes"), ElementsAre("node list"));
  EXPECT_THAT(meant("create image"), ElementsAre("image create"));
  EXPECT_THAT(meant("node alpha power on"), ElementsAre("node power on alpha"));
  EXPECT_THAT(meant("node power alpha off"), ElementsAre("node power off alpha"));
}

TEST(CommandWords, WordsStandInOneOrInThePlural) {
  EXPECT_THAT(meant("node_list"), ElementsAre("node list"));
  EXPECT_THAT(meant("disk-image-create vm"), ElementsAre("image create"));
  EXPECT_THAT(meant("node power_on alpha"), ElementsAre("node power on"));
  EXPECT_THAT(meant("node boot_log alpha"), ElementsAre("node boot-log"));
  EXPECT_THAT(meant("images list"), ElementsAre("image list"));
  EXPECT_THAT(meant("stack resources demo"), ElementsAre("stack resource list"));
}

TEST(CommandWords, OtherProgramsHaveTheirOwnBeginningsAndWords) {
  EXPECT_THAT(meant("openstack baremetal node list"), ElementsAre("node list"));
  EXPECT_THAT(meant("baremetal node show alpha"), ElementsAre("node show"));
  EXPECT_THAT(meant("image describe"), ElementsAre("image inspect"));
  EXPECT_THAT(meant("image rm disk"), ElementsAre("image unload"));
  EXPECT_THAT(meant("node lsit"), ElementsAre("node list"));
}

TEST(CommandWords, AWordOfACommandBetweenIsNotPassedOver) {
  EXPECT_THAT(meant("node boot device set alpha"), IsEmpty());
  EXPECT_THAT(meant("node power frob alpha"), IsEmpty());
  EXPECT_THAT(meant("quite another"), IsEmpty());
}

TEST(CommandWords, APartOfAWordIsNoMistypedOneWhereTheRestIsLeftOver) {
  EXPECT_THAT(commands_of_words({"image boot", "node service"}, {"node", "boot-device", "alpha"}), IsEmpty());
  EXPECT_THAT(meant("image_craete"), ElementsAre("image create"));
}

TEST(CommandWords, AlikeWordsAreThoseOfEachSetThatHasTheWord) {
  EXPECT_THAT(alike_words("ls"), ElementsAre("list", "ls", "show"));
  EXPECT_THAT(alike_words("frob"), IsEmpty());
}

}  // namespace
}  // namespace hearth::cli
