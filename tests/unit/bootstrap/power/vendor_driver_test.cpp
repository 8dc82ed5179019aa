#include "bootstrap/power/vendor_driver.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace hearth::bootstrap {
namespace {

/// Answers, or has a fault; keeps what it was asked with.
class Other final : public PowerDriver {
 public:
  std::optional<PowerFault> fault;
  std::vector<Node> asked;
  [[nodiscard]] std::vector<std::string> missing(const Node&) const override { return {}; }
  [[nodiscard]] Power state(const Node& node) override {
    take(node);
    return Power::on;
  }
  void set(const Node& node, PowerAction) override { take(node); }
  void set_boot_device(const Node& node, const std::string&, bool) override { take(node); }

 private:
  void take(const Node& node) {
    asked.push_back(node);
    if (fault) throw PowerFault(*fault);
  }
};

class VendorDriverTest : public ::testing::Test {
 protected:
  VendorDriverTest() {
    node.driver = "idrac";
    node.driver_info = {{"drac_address", "https://192.0.2.6:443"}, {"drac_username", "u"}, {"drac_password", "p"}};
  }
  Other redfish, ipmi;
  VendorDriver driver{"drac", redfish, ipmi};
  Node node;
};

TEST_F(VendorDriverTest, redfishIsAskedWithTheNodesOwnKeys) {
  EXPECT_EQ(driver.state(node), Power::on);
  ASSERT_EQ(redfish.asked.size(), 1U);
  EXPECT_EQ(redfish.asked[0].info("redfish_address"), "https://192.0.2.6:443");
  EXPECT_EQ(redfish.asked[0].info("redfish_username"), "u");
  EXPECT_EQ(redfish.asked[0].info("redfish_password"), "p");
  EXPECT_TRUE(ipmi.asked.empty());
}

TEST_F(VendorDriverTest, thePortIsRedfishsAndNotIpmis) {
  node.driver_info["drac_port"] = 8443;
  redfish.fault = PowerFault(PowerFault::Reason::unreachable, "no answer");
  EXPECT_EQ(driver.state(node), Power::on);
  EXPECT_EQ(redfish.asked[0].info("redfish_port"), "8443");
  EXPECT_EQ(ipmi.asked[0].info("redfish_port") + ipmi.asked[0].info("ipmi_port"), "");
}

TEST_F(VendorDriverTest, whereRedfishDoesNotAnswerIpmiIsAskedFromThenOn) {
  redfish.fault = PowerFault(PowerFault::Reason::unreachable, "no answer");
  driver.set(node, PowerAction::on);
  driver.set_boot_device(node, "pxe", false);
  EXPECT_EQ(redfish.asked.size(), 1U);
  ASSERT_EQ(ipmi.asked.size(), 2U);
  EXPECT_EQ(ipmi.asked[0].info("ipmi_address"), "192.0.2.6");
  EXPECT_EQ(ipmi.asked[0].info("ipmi_password"), "p");
}

TEST_F(VendorDriverTest, aWrongPasswordIsTriedOnceOnly) {
  redfish.fault = PowerFault(PowerFault::Reason::refused, "wrong password");
  EXPECT_THROW(driver.set(node, PowerAction::on), PowerFault);
  EXPECT_TRUE(ipmi.asked.empty());
}

TEST_F(VendorDriverTest, bothReasonsAreTold) {
  redfish.fault = PowerFault(PowerFault::Reason::failed, "404");
  ipmi.fault = PowerFault(PowerFault::Reason::unreachable, "silence");
  try {
    driver.set(node, PowerAction::on);
    FAIL();
  } catch (const PowerFault& fault) {
    EXPECT_STREQ(fault.what(), "by Redfish: 404; by IPMI: silence");
  }
}

TEST_F(VendorDriverTest, withoutAnAddressThereIsNothingToAsk) {
  node.driver_info = Json::object();
  EXPECT_EQ(driver.missing(node).size(), 1U);
}

}  // namespace
}  // namespace hearth::bootstrap
