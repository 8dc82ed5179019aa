#include "agent/net/run.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/net/world_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::HasSubstr;

class NetRun : public testing::Test {
 protected:
  NetRun() { options.detailed_exit_codes = true; }
  int run(const std::string& config) {
    fake.files.put(options.config_file, config);
    return run_net_config(options, fake.world);
  }
  FakeWorld fake;
  NetOptions options;
};

constexpr const char* k_one = "network_config: [{type: interface, name: em1, use_dhcp: true}]\n";

TEST_F(NetRun, TwoMeansChangedAndZeroUnchanged) {
  EXPECT_EQ(run(k_one), 2);
  EXPECT_EQ(run(k_one), 0);
}

TEST_F(NetRun, WithoutDetailedExitCodesAChangeIsSuccess) {
  options.detailed_exit_codes = false;
  EXPECT_EQ(run(k_one), 0);
  EXPECT_EQ(run("network_config: [{type: ovs_dpdk_port, name: em1}]\n"), 1);
}

TEST_F(NetRun, FailedNetworkConfigIsBitFour) {
  EXPECT_EQ(run("network_config: [{type: ovs_dpdk_port, name: em1}]\n"), 4);
  EXPECT_TRUE(fake.log.holds("DPDK is not supported"));
}

TEST_F(NetRun, FallbackIsAppliedWhenNetworkConfigFails) {
  EXPECT_EQ(run("network_config: [{type: ovs_dpdk_port, name: em1}]\n"
                "fallback_config: [{type: interface, name: em2, use_dhcp: true}]\n"),
            4 | 2);
  EXPECT_THAT(fake.text("/etc/network/interfaces"), HasSubstr("iface em2 inet dhcp"));
  options.fallback_config = false;
  EXPECT_EQ(run("network_config: [{type: ovs_dpdk_port, name: em1}]\n"
                "fallback_config: [{type: interface, name: em3, use_dhcp: true}]\n"),
            4);
}

TEST_F(NetRun, MinimumConfigGoesFirst) {
  options.minimum_config = true;
  EXPECT_EQ(run(k_one), 16 | 2) << "there is none";
  options.network_config = false;
  EXPECT_EQ(run(std::string(k_one) + "minimum_config: [{type: interface, name: em5}]\n"), 2);
  EXPECT_THAT(fake.text("/etc/network/interfaces"), HasSubstr("iface em5 inet manual"));
}

TEST_F(NetRun, InvalidConfigIsAWarningOrTheEnd) {
  const std::string odd = "network_config: [{type: interface, name: em1, mtuu: 3}]\n";
  EXPECT_EQ(run(odd), 2);
  EXPECT_TRUE(fake.log.holds("Config file failed schema validation at network_config/0:"));
  options.exit_on_validation_errors = true;
  EXPECT_EQ(run(odd), 1) << "256 would read as success";
}

TEST_F(NetRun, EmptyMissingAndBrokenFilesAreErrors) {
  EXPECT_EQ(run("network_config: []\n"), 1);
  EXPECT_EQ(run("{"), 1);
  options.config_file = "/nowhere.yaml";
  EXPECT_EQ(run_net_config(options, fake.world), 1);
  EXPECT_TRUE(fake.log.holds("The config file /nowhere.yaml is not found"));
}

TEST_F(NetRun, InterfacesAreReportedAsJson) {
  add_card(fake.files, "eth0", "52:54:00:00:00:01");
  options.report_interfaces = true;
  EXPECT_EQ(run(k_one), 0);
  EXPECT_EQ(fake.printed, "{\"nic1\": \"eth0\"}\n");
  options.interfaces = {"nic4"};
  EXPECT_EQ(run(k_one), 1);
}

TEST_F(NetRun, MappingFileIsUsed) {
  add_card(fake.files, "eth0", "52:54:00:00:00:01");
  fake.files.put(options.mapping_file, "interface_mapping: {storage: '52:54:00:00:00:01'}\n");
  EXPECT_EQ(run("network_config: [{type: interface, name: storage}]\n"), 2);
  EXPECT_THAT(fake.text("/etc/network/interfaces"), HasSubstr("auto eth0\n"));
  fake.files.put(options.mapping_file, "{}\n");
  EXPECT_EQ(run(k_one), 1);
}

TEST_F(NetRun, RemoveConfigTakesDevicesAway) {
  fake.files.put("/etc/network/interfaces", "auto em9\niface em9 inet dhcp\n");
  options.remove_config = true;
  options.network_config = false;
  EXPECT_EQ(run(std::string(k_one) + "remove_config: [{remove_name: em9, remove_type: interface},"
                                     " {remove_name: lo, remove_type: interface}]\n"),
            2);
  EXPECT_TRUE(fake.ran("/sbin/ifdown em9"));
  EXPECT_FALSE(fake.ran("/sbin/ifdown lo"));
}

TEST_F(NetRun, PurgeRemovesWhatAnotherProviderLeft) {
  fake.files.put("/etc/sysconfig/network-scripts/ifcfg-em1", "DEVICE=em1\n");
  options.purge_provider = "ifcfg";
  options.provider = "eni";
  EXPECT_EQ(run(k_one), 2);
  EXPECT_EQ(fake.text("/etc/sysconfig/network-scripts/ifcfg-em1"), "(not there)");
  options.purge_provider = "nmstate";
  EXPECT_EQ(run(k_one), 64);
}

TEST_F(NetRun, NoProviderIsAnError) {
  options.root = "/empty";
  EXPECT_EQ(run(k_one), 1);
  EXPECT_TRUE(fake.log.holds("Unable to set provider for this operating system."));
}

}  // namespace
}  // namespace hearth::agent::net
