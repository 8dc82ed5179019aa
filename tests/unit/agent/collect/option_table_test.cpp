#include "agent/collect/option_table.hpp"

#include <gmock/gmock.h>

#include <set>

#include "base/error.hpp"

namespace hearth::agent {
namespace {

TEST(OptionTableTest, EveryNameAndEveryOptionIsUnique) {
  std::set<std::string> names;
  for (const SettingRow& row : setting_rows())
    EXPECT_TRUE(names.insert(std::string(row.group) + "." + std::string(row.name)).second) << row.name;
  std::set<std::string> options;
  for (const cli::Option& option : command_line_table()) EXPECT_TRUE(options.insert(option.name).second) << option.name;
}

TEST(OptionTableTest, NumbersAndBooleansHaveADefault) {
  for (const SettingRow& row : setting_rows()) {
    const bool needs_one = row.type == SettingType::number || row.type == SettingType::boolean;
    EXPECT_TRUE(!needs_one || row.preset.size() == 1) << row.name;
  }
}

TEST(OptionTableTest, TheInverseStandsBehindTheGroup) {
  EXPECT_EQ(inverse_option(*find_row("DEFAULT", "one_time")), "noone-time");
  EXPECT_EQ(inverse_option(*find_row("zaqar", "use_websockets")), "zaqar-nouse-websockets");
}

TEST(OptionTableTest, EnvironmentNamesAreUpperCase) {
  EXPECT_EQ(environment_name(*find_row("cfn", "metadata_url")), "OS_CFN__METADATA_URL");
  EXPECT_EQ(environment_name(*find_row("DEFAULT", "command")), "OS_DEFAULT__COMMAND");
}

TEST(OptionTableTest, UniqueAbbreviationsAreAcceptedAndOthersRefused) {
  EXPECT_TRUE(cli::parse_options(command_line_table(), {"--one"}).has("one-time"));
  EXPECT_TRUE(cli::parse_options(command_line_table(), {"--print"}).has("print"));
  EXPECT_THROW((void)cli::parse_options(command_line_table(), {"--zaqar-u", "x"}), Error);
}

}  // namespace
}  // namespace hearth::agent
