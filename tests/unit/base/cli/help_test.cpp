#include "base/cli/help.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/unit/base/cli/demo_program.hpp"

namespace hearth::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string topic_refusal(const std::string& topic) {
  try {
    return topic_help(demo(), topic, 80);
  } catch (const Error& error) {
    return error.story();
  }
}

TEST(Overview, ShowsWhatPeopleNeedFirstThenAllByGroup) {
  EXPECT_EQ(overview(demo(), 60),
            "demo 1.2: shows things\n\n"
            "usage: demo COMMAND [OPTION…] [OPERAND…]\n\n"
            "First of all:\n"
            "  image create  makes an image\n\n"
            "Images:\n"
            "  image: create, show\n"
            "  plan\n\n"
            "Nodes:\n"
            "  node power: on, off\n"
            "  crash\n"
            "  stop\n\n"
            "Help:\n"
            "  help             explain a group of commands, a command or\n"
            "                   a topic\n"
            "  completion bash  print a completion script: eval \"$(demo\n"
            "                   completion bash)\"\n"
            "  completion zsh   print a completion script: eval \"$(demo\n"
            "                   completion zsh)\"\n"
            "  completion fish  print a completion script: demo\n"
            "                   completion fish | source\n\n"
            "'demo COMMAND --help' explains a command, 'demo help TOPIC'\n"
            "a command or one of: images, nodes, exit-codes, commands.\n");
}

TEST(CommandHelp, ShowsOptionsUnderTheirHeadings) {
  EXPECT_EQ(command_help("demo image create", demo().commands[0], 80),
            "usage: demo image create [OPTION…] ELEMENT…\n\nmakes an image\n\nAt length.\n\n"
            "Example: demo image create -o a b\n\n"
            "Results:\n"
            "  -t, --type TYPE[,TYPE…]     what to write\n"
            "  --cache DIR                 what is kept\n\n"
            "Other options:\n"
            "  -o, --output FILE           where to\n"
            "  -q, --quiet                 less\n"
            "  -h, --help                  show this help\n");
}

TEST(CommandHelp, KeepsToTheWidth) {
  const Command command{
      .words = "x",
      .operands = "ONE-OPERAND ANOTHER-OPERAND ONE-MORE",
      .summary = "a summary of many words that does not fit into a line",
      .details = "Details of as many words, which do not fit into one line either.",
      .options = {{"option", 'o', "VALUE", "a help text that needs several lines of so few columns"}}};
  for (const std::string& line : split_lines(command_help("demo x", command, 50))) EXPECT_LE(line.size(), 52U) << line;
}

TEST(TopicHelp, OfAGroupHasItsCommandsWithTheirSummaries) {
  EXPECT_EQ(topic_help(demo(), "images", 80),
            "Images\n\nWhat boots.\n\n"
            "  image create  makes an image\n  image show    shows one\n  plan          prints the plan\n");
}

TEST(TopicHelp, OfACommandIsThatOfTheCommand) {
  EXPECT_THAT(topic_help(demo(), "image show", 80), HasSubstr("usage: demo image show IMAGE\n"));
  EXPECT_THAT(topic_help(demo(), "disk-image-create", 80), HasSubstr("usage: disk-image-create [OPTION…] ELEMENT…\n"));
}

TEST(TopicHelp, OfFirstWordsHasTheCommandsThatBeginWithThem) {
  EXPECT_THAT(topic_help(demo(), "node power", 80), HasSubstr("  node power on   switches one on\n"));
  EXPECT_THAT(topic_help(demo(), "node power", 80), Not(HasSubstr("image")));
}

TEST(TopicHelp, KnowsTheProgramsTopicsAndAllCommands) {
  EXPECT_EQ(topic_help(demo(), "exit-codes", 80), "Exit status\n\n0 done, 1 failed.\n");
  EXPECT_THAT(topic_help(demo(), "commands", 80), HasSubstr("Nodes\n  node power on   switches one on\n"));
}

TEST(TopicHelp, PrintsAPageOfTheManualByItsNameOrTheLastPartOfIt) {
  Program program = demo();
  program.pages = {{"howto/ssh", "Log in", "# Log in\n\n    ssh web\n"}};
  EXPECT_EQ(topic_help(program, "ssh", 80), "# Log in\n\n    ssh web\n");
  for (const char* name : {"howto/ssh", "howto-ssh", "howto ssh"})
    EXPECT_EQ(topic_help(program, name, 80), topic_help(program, "ssh", 80)) << name;
  EXPECT_THAT(topic_help(program, "manual", 80), HasSubstr("  howto/ssh  Log in\n"));
  EXPECT_THAT(overview(program, 80), HasSubstr("manual"));
}

TEST(TopicHelp, OfAFolderOfPagesListsThemAndIsTheNearestNameOfOne) {
  Program program = demo();
  program.pages = {{"howto/ssh", "Log in", "x"}, {"tutorials/first", "First", "x"}};
  EXPECT_THAT(topic_help(program, "tutorials", 80),
              AllOf(HasSubstr("  tutorials/first  First\n"), Not(HasSubstr("howto"))));
  const auto near = [&]() -> std::string {
    try {
      return topic_help(program, "toturials", 80);
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(near(), HasSubstr("did you mean 'tutorials'?"));
}

TEST(TopicHelp, PrintsAFurtherPageWhereNothingElseHasTheName) {
  Program program = demo();
  program.further = [](const std::string& name) -> std::optional<Topic> {
    if (name != "web" && name != "images") return std::nullopt;
    return Topic{cat("/elements/", name, "/README.md"), "element web", "# web\n"};
  };
  EXPECT_EQ(topic_help(program, "web", 80), "element web\n\n# web\n");
  EXPECT_THAT(topic_help(program, "images", 80), Not(HasSubstr("element web")));
  EXPECT_THROW((void)topic_help(program, "wob", 80), Error);
}

TEST(TopicHelp, OfAWordThePagesAreNamedThatSpeakOfIt) {
  Program program = demo();
  program.pages = {
      {"howto/ssh", "Log in", "A Token once.\n"}, {"howto/ci", "CI", "token, token\n"}, {"howto/x", "X", "\n"}};
  try {
    (void)topic_help(program, "token", 80);
    ADD_FAILURE() << "there is help on a token";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), HasSubstr("Pages that speak of it: demo help howto/ci, howto/ssh."));
  }
}

TEST(TopicHelp, AWrongTopicSuggestsTheNearest) {
  EXPECT_THAT(topic_refusal("imags"), HasSubstr("there is no help on 'imags'; did you mean 'images'?"));
  EXPECT_THAT(topic_refusal("imgae"), HasSubstr("did you mean 'image'?"));
  EXPECT_THAT(topic_refusal("image crate"), HasSubstr("did you mean 'image create'?"));
  EXPECT_THAT(topic_refusal("something-else"), HasSubstr("Topics: images, nodes, exit-codes, commands; or a command."));
}

}  // namespace
}  // namespace hearth::cli
