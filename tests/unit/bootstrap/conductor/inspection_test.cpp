#include "bootstrap/conductor/inspection.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

Json result_of_a_machine() {
  return Json::parse(R"({"inventory": {
    "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}, {"name": "lo", "mac_address": "00:00:00:00:00:00"}],
    "cpu": {"count": 4, "architecture": "x86_64"}, "memory": {"physical_mb": 2048}, "bmc_address": "0.0.0.0",
    "disks": [{"name": "/dev/sda", "size": 10737418240, "serial": "A"}, {"name": "/dev/sdb", "size": 21474836480, "wwn": "W"},
              {"name": "/dev/sdc", "size": 1073741824, "serial": "C"}],
    "boot": {"current_boot_mode": "uefi", "pxe_interface": "52:54:00:00:00:01"}},
    "root_disk": {"name": "/dev/sda", "size": 10737418240}, "boot_interface": "01-52-54-00-00-00-02"})");
}

TEST(Inspection, propertiesAreTakenAndNeverAPort) {
  Node node;
  node.properties["capabilities"] = "profile:x";
  apply_inspection(node, result_of_a_machine());
  EXPECT_EQ(node.properties,
            Json::parse(R"({"capabilities": "profile:x,boot_mode:uefi", "cpus": 4, "cpu_arch": "x86_64",
    "memory_mb": 2048, "local_gb": 9})"));
  EXPECT_TRUE(node.ports.empty()) << "by a port of its own choice a stranger would be the node";
  EXPECT_EQ(inspected_boot_mac(result_of_a_machine()), "52:54:00:00:00:02");
  EXPECT_EQ(inspected_macs(result_of_a_machine()), std::vector<std::string>{"52:54:00:00:00:01"});
  EXPECT_EQ(inspected_bmc(result_of_a_machine()), "");
}

TEST(Inspection, rootDisksAreChosenByStrategyAndNeverGuessed) {
  const Json data = result_of_a_machine();
  EXPECT_EQ(chosen_root_device(data, "smallest", 4), Json::parse(R"({"hint": {"serial": "A"}, "local_gb": 9})"));
  EXPECT_EQ(chosen_root_device(data, "largest", 4), Json::parse(R"({"hint": {"wwn": "W"}, "local_gb": 19})"));
  EXPECT_EQ(chosen_root_device(data, "vda,sdb", 4)["hint"]["wwn"], "W");
  EXPECT_TRUE(chosen_root_device(data, "vda", 4).is_null());
  EXPECT_TRUE(chosen_root_device(data, "largest", 100).is_null());
  EXPECT_TRUE(chosen_root_device(Json::object(), "largest", 4).is_null());
}

TEST(Inspection, aMachineIsFoundByAGuidesStandInTooButNeverByNothing) {
  const Json data = Json::parse(R"({"inventory": {"interfaces": [{"mac_address": "BB:BB:BB:BB:BB:BB"},
    {"mac_address": "00:00:00:00:00:00"}, {"mac_address": "zz"}]}})");
  EXPECT_EQ(inspected_macs(data), std::vector<std::string>{"bb:bb:bb:bb:bb:bb"});
}

TEST(Inspection, anEmptyResultChangesNothing) {
  Node node;
  apply_inspection(node, Json::object());
  EXPECT_TRUE(node.properties.empty());
  EXPECT_TRUE(node.ports.empty());
}

}  // namespace
}  // namespace hearth::bootstrap
