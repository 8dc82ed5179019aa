#include "bootstrap/inventory/drivers.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(DriverTable, typesMeanTheirDriver) {
  const std::vector<std::pair<const char*, const char*>> rows = {{"ipmi", "ipmi"},
                                                                 {"pxe_ipmitool", "ipmi"},
                                                                 {"agent_ipmitool", "ipmi"},
                                                                 {"redfish", "redfish"},
                                                                 {"pxe_drac", "idrac"},
                                                                 {"pxe_ilo", "ilo"},
                                                                 {"pxe_irmc", "irmc"},
                                                                 {"xclarity", "xclarity"},
                                                                 {"pxe_ssh", "libvirt"},
                                                                 {"fake_pxe", "manual-management"},
                                                                 {"fake_agent", "manual-management"},
                                                                 {"fake", "fake-hardware"},
                                                                 {"manual-management", "manual-management"},
                                                                 {"qemu", "qemu"}};
  for (const auto& [type, driver] : rows) {
    ASSERT_NE(driver_of(type), nullptr) << type;
    EXPECT_EQ(driver_of(type)->driver, driver) << type;
  }
  EXPECT_EQ(driver_of("smoke-signals"), nullptr);
  EXPECT_EQ(driver_of("_ilo"), nullptr);
}

TEST(DriverTable, keysGetTheDriversPrefix) {
  EXPECT_EQ(driver_key(*driver_of("ipmi"), "pm_addr"), "ipmi_address");
  EXPECT_EQ(driver_key(*driver_of("redfish"), "pm_system_id"), "redfish_system_id");
  EXPECT_EQ(driver_key(*driver_of("pxe_ilo"), "pm_system_id"), "ilo_system_id");
  EXPECT_FALSE(driver_key(*driver_of("ipmi"), "pm_system_id"));
  EXPECT_EQ(driver_key(*driver_of("libvirt"), "pm_vm_name"), "libvirt_domain");
  EXPECT_FALSE(driver_key(*driver_of("fake_pxe"), "pm_addr"));
}

TEST(DriverTable, aMachineIsKnownByItsManagement) {
  const auto id = [](const char* type, const char* info) { return management_id(*driver_of(type), Json::parse(info)); };
  EXPECT_EQ(id("ipmi", R"({"ipmi_address": "192.0.2.5"})"), "192.0.2.5");
  EXPECT_EQ(id("ipmi", R"({"ipmi_address": "192.0.2.5", "ipmi_port": 623})"), "192.0.2.5");
  EXPECT_EQ(id("ipmi", R"({"ipmi_address": "192.0.2.5", "ipmi_port": "6230"})"), "192.0.2.5:6230");
  EXPECT_EQ(id("redfish", R"({"redfish_address": "https://BMC:8000/", "redfish_system_id": "/redfish/v1/Systems/1"})"),
            "bmc:8000//redfish/v1/Systems/1");
  EXPECT_EQ(id("redfish", R"({"redfish_address": "bmc", "redfish_port": 8443, "redfish_system_id": "1"})"),
            "bmc:8443/1");
  EXPECT_EQ(id("idrac", R"({"drac_address": "https://192.0.2.6:443/x"})"), "192.0.2.6");
  EXPECT_EQ(id("idrac", R"({"drac_address": "http://192.0.2.6:8204"})"), "192.0.2.6:8204") << "a forwarded port";
  EXPECT_EQ(id("idrac", R"({"drac_address": "https://[2001:db8::6]:8204/"})"), "[2001:db8::6]:8204");
  EXPECT_EQ(id("libvirt", R"({"libvirt_uri": "qemu:///system", "libvirt_domain": "n1"})"), "qemu:///system#n1");
  EXPECT_EQ(id("fake_pxe", "{}"), "");
}

}  // namespace
}  // namespace hearth::bootstrap
