#include "bootstrap/cli/driver_text.hpp"

#include <gmock/gmock.h>

#include "base/cli/layout.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

using testing::HasSubstr;

TEST(DriverText, listsEveryDriverWithItsPmTypes) {
  const std::string text = driver_list();
  for (const std::string& name : driver_names()) EXPECT_THAT(text, HasSubstr(name));
  EXPECT_THAT(text, HasSubstr("ipmi, …_ipmitool"));
  EXPECT_THAT(text, HasSubstr("manual-management, fake_pxe, fake_agent"));
}

TEST(DriverText, aPageTellsKeysTheirNamesInInventoriesAndDefaults) {
  const std::string text = driver_page("ipmi");
  EXPECT_THAT(text, testing::ContainsRegex("ipmi_address +\\| pm_addr +\\| required"));
  EXPECT_THAT(text, testing::ContainsRegex("ipmi_port +\\| pm_port +\\| 623 "));
  EXPECT_THAT(text, HasSubstr("ADMINISTRATOR, OPERATOR"));
  EXPECT_THAT(text, HasSubstr("deploy_callback_timeout"));
}

TEST(DriverText, fitsATerminalOf80Columns) {
  std::string text = driver_list(80);
  for (const std::string& name : driver_names()) text += driver_page(name, 80);
  for (const std::string& line : split_lines(text)) EXPECT_LE(cli::columns(line), 80U) << line;
  EXPECT_THAT(text, HasSubstr("force_persistent_boot_device"));
}

TEST(DriverText, anUnknownDriverIsRefusedWithTheNearestName) {
  try {
    static_cast<void>(driver_page("redfsh"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'redfish'?"));
  }
}

TEST(DriverText, jsonHasTheSame) {
  const Json one = drivers_json("redfish");
  ASSERT_EQ(one["drivers"].size(), 1U);
  EXPECT_EQ(one["drivers"][0]["driver_info"][0],
            Json({{"name", "redfish_address"},
                  {"inventory", "pm_addr"},
                  {"required", true},
                  {"default", ""},
                  {"values", Json::array()},
                  {"help", "the address of the BMC, https where no scheme is said"}}));
  EXPECT_EQ(drivers_json("")["drivers"].size(), driver_names().size());
}

}  // namespace
}  // namespace hearth::bootstrap
