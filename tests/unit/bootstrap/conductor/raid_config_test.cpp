#include "bootstrap/conductor/raid_config.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(RaidConfig, whatIsWrongIsToldInIronicsWords) {
  // As python3-ironic 21.4 answered to each (common/raid.py).
  const std::string told = "RAID config validation error: ";
  for (const auto& [config, fault] : std::vector<std::pair<const char*, std::string>>{
           {R"([])", "[] is not of type 'object'"},
           {R"({})", "'logical_disks' is a required property"},
           {R"({"logical_disks": {}})", "{} is not of type 'array'"},
           {R"({"logical_disks": []})", "[] is too short"},
           {R"({"logical_disks": [1]})", "1 is not of type 'object'"},
           {R"({"x": 1, "y": 2, "logical_disks": []})",
            "Additional properties are not allowed ('x', 'y' were unexpected)"},
           {R"({"logical_disks": [{"raid_level": "1"}]})", "'size_gb' is a required property"},
           {R"({"logical_disks": [{"raid_level": 5, "size_gb": 1}]})", "5 is not of type 'string'"},
           {R"({"logical_disks": [{"raid_level": "7", "size_gb": 1}]})",
            "'7' is not one of ['JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0']"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": "x"}]})", "'x' is not one of ['MAX']"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": -1}]})", "-1 is less than the minimum of 0"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": true}]})",
            "True is not valid under any of the given schemas"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": 1, "foo": 1}]})",
            "Additional properties are not allowed ('foo' was unexpected)"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": 1, "physical_disks": ["a"]}]})",
            "'controller' is a dependency of 'physical_disks'"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": 1, "physical_disks": [1], "controller": "c"}]})",
            "[1] is not valid under any of the given schemas"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": 1, "number_of_physical_disks": 0}]})",
            "0 is less than or equal to the minimum of 0"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": 1, "is_root_volume": "yes"}]})",
            "'yes' is not of type 'boolean'"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": 1, "disk_type": "HDD"}]})",
            "'HDD' is not one of ['hdd', 'ssd']"},
           {R"({"logical_disks": [{"raid_level": "1", "size_gb": 1, "volume_name": null}]})",
            "None is not of type 'string'"}}) {
    EXPECT_EQ(raid_config_fault(Json::parse(config)), told + fault) << config;
  }
  const Json root = {{"raid_level", "1"}, {"size_gb", "MAX"}, {"is_root_volume", true}};
  EXPECT_EQ(raid_config_fault({{"logical_disks", {root, root}}}),
            "Raid config cannot have more than one root volume. 2 root volumes were specified");
  EXPECT_EQ(raid_config_fault({{"logical_disks", {root}}}), "");
  EXPECT_EQ(raid_config_fault({{"logical_disks", {{{"raid_level", "1"}, {"size_gb", 1}, {"interface_type", "scsi"}}}}}),
            "interface type `scsi` not supported by Redfish RAID");
}

TEST(RaidConfig, diskOfWhichRootIsOneAreChosen) {
  const Json config = Json::parse(R"({"logical_disks": [{"raid_level": "1", "size_gb": 1, "is_root_volume": true},
    {"raid_level": "0", "size_gb": 2}]})");
  EXPECT_EQ(wanted_disks(config, true, true).size(), 2U);
  EXPECT_EQ(wanted_disks(config, true, false)[0]["size_gb"], 1);
  EXPECT_EQ(wanted_disks(config, false, true)[0]["size_gb"], 2);
  EXPECT_TRUE(wanted_disks(config, false, false).empty());
}

}  // namespace
}  // namespace hearth::bootstrap
