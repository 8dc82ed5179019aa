#include "base/cli/near_option.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::cli {
namespace {

const std::vector<Option> k_near_table = {{"json", 0, "", ""},     {"url", 0, "URL", ""},
                                          {"boot", 0, "SITE", ""}, {"image-size", 0, "SIZE", ""},
                                          {"", 'o', "NAME", ""},   {"driver-info", 0, "KEY", ""}};

TEST(NearOption, IsWhatOtherProgramsCallOtherwise) {
  for (const char* word : {"format", "f", "c", "long", "fields"})
    EXPECT_EQ(near_option(k_near_table, word), "--json") << word;
  EXPECT_EQ(near_option(k_near_table, "os-cloud"), "--url");
  EXPECT_EQ(near_option(k_near_table, "output"), "-o NAME");
  std::vector<Option> types = k_near_table;
  types.insert(types.end(), {{"", 't', "TYPES", ""}, {"install-type", 0, "TYPE", ""}});
  EXPECT_EQ(near_option(types, "type"), "-t TYPES") << "not what takes a TYPE by another name";
  EXPECT_EQ(near_option(types, "format"), "-t TYPES");
}

TEST(NearOption, IsWhatIsWrittenNearlySoOrHasThatPartOrValue) {
  EXPECT_EQ(near_option(k_near_table, "driver_info"), "--driver-info");
  EXPECT_EQ(near_option(k_near_table, "jsno"), "--json");
  EXPECT_EQ(near_option(k_near_table, "site"), "--boot SITE");
  EXPECT_EQ(near_option(k_near_table, "name"), "-o NAME");
  std::vector<Option> two = k_near_table;
  two.insert(two.begin(), {"server", 0, "NAME", ""});
  EXPECT_EQ(near_option(two, "name"), "-o NAME") << "two take a NAME, and one of them is what others call so";
  two.insert(two.begin(), {{"fat", 0, "SIZE", ""}, {"swap-size", 0, "SIZE", ""}});
  EXPECT_EQ(near_option(two, "size"), "--fat SIZE") << "the first of several";
  EXPECT_EQ(near_option(k_near_table, "image"), "--image-size");
  EXPECT_EQ(near_option(k_near_table, "x"), "");
  EXPECT_EQ(near_option(k_near_table, "entirely"), "");
}

Program program() {
  Program program{.name = "demo", .summary = "", .version = "1", .commands = {}};
  program.commands = {{.words = "a", .operands = "SERVER", .summary = "", .options = {{"url", 0, "URL", "where"}}},
                      {.words = "b", .operands = "", .summary = "", .options = {{"watch", 0, "", "goes on"}}}};
  return program;
}

TEST(NearOption, ElseWhatThereIsAndWhoHasItIsTold) {
  const Program demo = program();
  const auto told = [&](const std::string& fault) { return option_advice("demo a", demo.commands[0], &demo, fault); };
  EXPECT_EQ(told("unrecognized option '--watch'"), "--watch is an option of demo b. demo a has --url.");
  EXPECT_EQ(told("unrecognized option '--server'"), "SERVER stands by itself, without an option: demo a SERVER");
  EXPECT_EQ(told("invalid option -- 'x'"), "demo a has --url.");
  EXPECT_EQ(told("unrecognized option '--ulr'; did you mean '--url'?"), "");
  EXPECT_EQ(told("another fault"), "");
}

TEST(NearOption, OfOthersOptionsWhatIsTypedInTheirPlaceIsTold) {
  Program demo = program();
  demo.commands[0].instead = {{"mirror", "MIRROR=URL names it"}, {"s", "--size does"}};
  const auto told = [&](const std::string& fault) { return option_advice("demo a", demo.commands[0], &demo, fault); };
  EXPECT_EQ(told("unrecognized option '--mirror'"), "MIRROR=URL names it");
  EXPECT_EQ(told("invalid option -- 's'"), "--size does");
}

TEST(NearOption, AValueIsWhatOtherProgramsCallItOrOneThatIsWrittenNearlySo) {
  const Option option{"", 't', "TYPE", "", {"raw", "qcow2"}, "", {{"img", "raw"}}};
  EXPECT_EQ(near_value(option, "IMG"), "raw");
  EXPECT_EQ(near_value(option, "qcow"), "qcow2");
  EXPECT_EQ(near_value(option, "other"), std::nullopt);
}

TEST(NearOption, HelpOnAnOptionTellsOfAllCommandsThatHaveIt) {
  EXPECT_TRUE(is_option_of_others(program(), "--watch"));
  EXPECT_FALSE(is_option_of_others(program(), "watch"));
  EXPECT_EQ(option_help(program(), "--watch"), "--watch  goes on\n    demo b\n");
}

}  // namespace
}  // namespace hearth::cli
