#include "bootstrap/conductor/bmc_steps.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

using testing::HasSubstr;

class BmcStepsTest : public testing::Test {
 protected:
  BmcStepsTest() {
    node.uuid = "u";
    node.driver = "redfish";
  }
  [[nodiscard]] std::string fault(const char* interface, const char* step, const char* arguments,
                                  const std::string& kind = "clean") const {
    return bmc_step_fault(node, kind, {{"interface", interface}, {"step", step}, {"args", Json::parse(arguments)}});
  }
  [[nodiscard]] std::string update_fault(const char* image) const {
    return fault("firmware", "update", cat(R"({"settings": [)", image, "]}").c_str());
  }
  Node node;
};

TEST_F(BmcStepsTest, areTheNodesInterfaces) {
  EXPECT_EQ(bmc_steps(node, "clean").size(), 6U);
  EXPECT_EQ(bmc_steps(node, "deploy").size(), 5U);
  node.fields = {{"raid_interface", "no-raid"}, {"firmware_interface", "no-firmware"}};
  EXPECT_EQ(bmc_steps(node, "clean").size(), 2U);
  EXPECT_FALSE(is_bmc_step(node, {{"interface", "raid"}, {"step", "delete_configuration"}}));
  node.driver = "ipmi";
  EXPECT_TRUE(bmc_steps(node).empty());
}

TEST_F(BmcStepsTest, aStepOfAnotherKindOfWorkIsNone) {
  EXPECT_THAT(fault("raid", "create_configuration", "{}", "deploy"),
              HasSubstr("node does not support this deploy step: {"));
  EXPECT_THAT(fault("raid", "apply_configuration", R"({"raid_config": {}})"),
              HasSubstr("node does not support this clean step"));
}

TEST_F(BmcStepsTest, raidNeedsAConfigurationThatHasSomethingLeft) {
  EXPECT_EQ(fault("raid", "create_configuration", "{}"), "Node u has no target RAID configuration.");
  node.target_raid_config = Json::parse(R"({"logical_disks": [{"raid_level": "1", "size_gb": 1}]})");
  EXPECT_EQ(fault("raid", "create_configuration", "{}"), "");
  EXPECT_EQ(fault("raid", "create_configuration", R"({"create_nonroot_volumes": false})"),
            "Node u has empty target RAID configuration after skipping non-root volumes.");
  EXPECT_EQ(fault("raid", "create_configuration", R"({"delete_existing": "yes"})"),
            "raid step create_configuration: delete_existing is true or false");
  EXPECT_THAT(fault("raid", "create_configuration", R"({"more": 1})"), HasSubstr("unexpected arguments: more"));
  EXPECT_THAT(fault("raid", "apply_configuration", "{}", "deploy"), HasSubstr("required arguments: raid_config"));
  EXPECT_EQ(fault("raid", "apply_configuration", R"({"raid_config": {}})", "deploy"),
            "RAID config validation error: 'logical_disks' is a required property");
}

TEST_F(BmcStepsTest, firmwareIsAnAddressOfTheWebForAPart) {
  EXPECT_EQ(update_fault(R"({"component": "bios", "url": "https://192.0.2.1/b.bin", "wait": 5})"), "");
  EXPECT_EQ(update_fault(R"({"component": "nic:S1", "url": "http://192.0.2.1/b.bin"})"), "");
  for (const auto& [image, why] : std::vector<std::pair<const char*, const char*>>{
           {R"({"url": "http://h/x"})", "'component' is a required property"},
           {R"({"component": "bios"})", "'url' is a required property"},
           {R"({"component": "fan", "url": "http://h/x"})", "'fan' is none of bios, bmc, nic:ID"},
           {R"({"component": "bios", "url": "http://h/x", "md5": 1})", "('md5' was unexpected)"},
           {R"({"component": "bios", "url": "http://h/x", "wait": 0})", "wait is a number of seconds"},
           {R"({"component": "bios", "url": "file:///etc/shadow"})", "'file:///etc/shadow' is no URL of http or https"},
           {R"({"component": "bios", "url": "b.bin"})", "b.bin"},
           {R"({"component": "bios", "url": "http://h/x\ny"})", "Errors: "},
           {R"(1)", "1 is not of type 'object'"}}) {
    EXPECT_THAT(update_fault(image), HasSubstr("Invalid firmware update ")) << image;
    EXPECT_THAT(update_fault(image), HasSubstr(why)) << image;
  }
  EXPECT_THAT(fault("firmware", "update", R"({"settings": []})"), HasSubstr("[] is no list of images"));
  const char* images = R"({"firmware_images": [{"url": "http://h/x", "checksum": "00", "source": "swift"}]})";
  EXPECT_THAT(fault("management", "update_firmware", images), HasSubstr("the source swift is not supported"));
}

}  // namespace
}  // namespace hearth::bootstrap
