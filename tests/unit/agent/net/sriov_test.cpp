#include "agent/net/sriov.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "agent/net/activation.hpp"
#include "agent/net/provider.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/unit/agent/net/world_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::HasSubstr;

constexpr const char* k_functions =
    "network_config:\n"
    "- {type: sriov_pf, name: p2p1, numvfs: 10, ethtool_opts: speed 1000}\n"
    "- {type: sriov_pf, name: p2p2, numvfs: 4, promisc: false, link_mode: switchdev, steering_mode: dmfs}\n"
    "- {type: sriov_vf, device: p2p1, vfid: 5, vlan_id: 100, qos: 2, min_tx_rate: 10, max_tx_rate: 100, spoofcheck: "
    "true,"
    " macaddr: 00:78:90:80:cc:30, trust: true, state: auto, promisc: false, addresses: [{ip_netmask: 192.0.2.1/24}]}\n"
    "- {type: linux_bond, name: bond0, bonding_options: mode=active-backup, members: ["
    "{type: sriov_vf, device: p2p1, vfid: 3, primary: true}, {type: sriov_vf, device: p2p2, vfid: 3}]}\n";

std::string sriov_refused(const std::string& entries) {
  return refusal([&entries] { (void)network_of("network_config:\n" + entries); });
}

std::string rules_of(Provider provider) {
  const fakes::MemoryFileSystem files;
  return file_of(render(provider, network_of(k_functions), "", files), std::string(k_sriov_rules));
}

TEST(NetSriov, udev_makes_functions_before_networks_come_up_with_every_provider) {
  for (const Provider provider : {Provider::eni, Provider::networkd, Provider::ifcfg}) {
    const std::string rules = rules_of(provider);
    EXPECT_THAT(rules, HasSubstr("SUBSYSTEM==\"net\", ACTION==\"add\", KERNEL==\"p2p1\", "
                                 "RUN+=\"/bin/sh /etc/udev/os-net-config-sriov.sh p2p1 10 - - on\"\n"));
    EXPECT_THAT(
        rules,
        HasSubstr("NAME==\"p2p2\", RUN+=\"/bin/sh /etc/udev/os-net-config-sriov.sh p2p2 4 switchdev dmfs off\""));
    EXPECT_THAT(rules,
                HasSubstr("TEST==\"/sys/class/net/p2p1/device/virtfn5/net/$kernel\", NAME=\"p2p1_5\", "
                          "RUN+=\"/sbin/ip link set dev p2p1 vf 5 mac 00:78:90:80:cc:30 vlan 100 qos 2 max_tx_rate 100 "
                          "min_tx_rate 10 state auto spoofchk on trust on\", "
                          "RUN+=\"/sbin/ip link set dev p2p1_5 promisc off\"\n"));
    // In a bond a function is trusted and may send as others.
    EXPECT_THAT(rules, HasSubstr("vf 3 spoofchk off trust on\", RUN+=\"/sbin/ip link set dev p2p2_3 promisc off\""));
  }
}

TEST(NetSriov, cards_and_functions_are_interfaces_to_each_provider) {
  const fakes::MemoryFileSystem files;
  const Network network = network_of(k_functions);
  EXPECT_THAT(file_of(render(Provider::eni, network, "", files), "/etc/network/interfaces"),
              HasSubstr("iface p2p1_5 inet static\n    address 192.0.2.1\n"));
  EXPECT_THAT(
      file_of(render(Provider::networkd, network, "", files), "/etc/systemd/network/10-os-net-config-p2p2_3.network"),
      HasSubstr("Bond=bond0\n"));
  EXPECT_THAT(file_of(render(Provider::ifcfg, network, "", files), "/etc/sysconfig/network-scripts/ifcfg-p2p1"),
              HasSubstr("ETHTOOL_OPTS=\"speed 1000\"\n"));
}

TEST(NetSriov, a_function_keeps_the_name_that_it_has) {
  fakes::MemoryFileSystem files;
  files.make_directories("/sys/class/net/p2p1/device/virtfn5/net/enp3s0v5", 0755);
  const Network network = network_of("network_config: [{type: sriov_vf, device: p2p1, vfid: 5}]\n", files);
  EXPECT_EQ(network.devices[0].name, "enp3s0v5");
}

TEST(NetSriov, a_function_of_a_card_with_a_long_name_has_a_name_that_fits) {
  const Network network = network_of(
      "network_config:\n"
      "- {type: sriov_pf, name: enp129s0f0np0, numvfs: 11}\n"
      "- {type: sriov_pf, name: enp129s0f1np1, numvfs: 11}\n"
      "- {type: sriov_vf, device: enp129s0f0np0, vfid: 10}\n"
      "- {type: sriov_vf, device: enp129s0f1np1, vfid: 10}\n");
  EXPECT_EQ(network.devices[2].name, "np129s0f0np0_10");
  EXPECT_EQ(network.devices[3].name, "np129s0f1np1_10");
}

TEST(NetSriov, what_makes_no_sense_is_refused) {
  const std::string card = "- {type: sriov_pf, name: p2p1, numvfs: 4}\n";
  EXPECT_EQ(sriov_refused(card + "- {type: sriov_vf, device: p2p1, vfid: 4}\n"),
            "network_config/1: vfid 4: p2p1 has numvfs 4, so from 0 to 3");
  EXPECT_EQ(sriov_refused("- {type: sriov_vf, device: p2p1, vfid: 0}\n"),
            "network_config/0: p2p1 is no sriov_pf of this file, and has no function 0 now");
  EXPECT_EQ(sriov_refused(card + "- {type: sriov_vf, device: p2p1, vfid: 1, qos: 2}\n"),
            "network_config/1: Vlan tag not set for QOS - VF: p2p1:1");
  EXPECT_EQ(sriov_refused(card + "- {type: sriov_vf, device: p2p1, vfid: 1, min_tx_rate: 9, max_tx_rate: 8}\n"),
            "network_config/1: vf p2p1:1: min_tx_rate(9) > max_tx_rate(8)");
  EXPECT_EQ(sriov_refused(card + "- {type: sriov_vf, device: p2p1, vfid: 1, state: up}\n"),
            "network_config/1: Expecting state to match auto/enable/disable");
  EXPECT_EQ(sriov_refused("- {type: sriov_pf, name: p2p1, numvfs: 4, link_mode: x}\n"),
            "network_config/0: Expecting link_mode to match legacy/switchdev");
  EXPECT_EQ(sriov_refused("- {type: sriov_pf, name: 'p2;1', numvfs: 4}\n"),
            "network_config/0: 'p2;1' cannot be the name of a network device");
  EXPECT_EQ(sriov_refused("- {type: sriov_pf, name: p2p1, numvfs: 65536}\n"),
            "network_config/0: numvfs 65536: p2p1 has at most 65535 functions");
  fakes::MemoryFileSystem files;
  files.put("/sys/class/net/p2p1/device/sriov_totalvfs", "8\n");
  EXPECT_EQ(refusal([&] { (void)network_of("network_config: [{type: sriov_pf, name: p2p1, numvfs: 9}]", files); }),
            "network_config/0: numvfs 9: p2p1 has at most 8 functions");
  EXPECT_EQ(sriov_refused("- {type: sriov_pf, name: p2p1, numvfs: 4, vdpa: true}\n"),
            "network_config/0: vdpa: vDPA is not supported");
}

TEST(NetSriov, changed_rules_are_replayed_cards_first_before_anything_is_started) {
  fakes::MemoryFileSystem files;
  const Network network = network_of(
      "network_config:\n- {type: sriov_vf, device: p2p1, vfid: 0}\n"
      "- {type: sriov_pf, name: p2p1, numvfs: 4}\n");
  const Layout layout = render(Provider::eni, network, "", files);
  const ChangePlan plan = plan_change(layout, {Provider::eni, "", false, {}}, files);
  const std::vector<Step> steps = start_steps(plan, Provider::eni, "");
  ASSERT_GE(steps.size(), 7U);
  EXPECT_THAT(steps[0].argv, testing::ElementsAre("udevadm", "control", "--reload"));
  EXPECT_EQ(join(steps[1].argv, " "), "/bin/sh /etc/udev/os-net-config-sriov.sh p2p1 4 - - on");
  EXPECT_EQ(steps[3].argv.back(), "/sys/class/net/p2p1_0");
  EXPECT_EQ(steps[5].argv.back(), "p2p1") << "the card is up before its function";
  for (const RenderedFile& file : layout.files) files.put(file.path, file.data);
  EXPECT_TRUE(start_steps(plan_change(layout, {Provider::eni, "", false, {}}, files), Provider::eni, "").empty());
}

TEST(NetSriov, what_is_renamed_has_its_new_name_before_functions_are_made) {
  ChangePlan plan;
  plan.restart = {{.name = "nic1", .text = "", .after = {}, .device_now = "em1"}};
  plan.replayed = {{"nic1", {"make-functions", "nic1"}}};
  for (const Provider provider : {Provider::eni, Provider::networkd}) {
    const std::vector<Step> steps = start_steps(plan, provider, "");
    EXPECT_EQ(join(steps[1].argv, " "), "ip link set dev em1 name nic1");
    EXPECT_EQ(join(steps[3].argv, " "), "make-functions nic1");
  }
}

TEST(NetSriov, functions_that_were_not_made_are_made_by_the_next_run) {
  FakeWorld fake;
  fake.files.make_directories("/sys/class/net/p2p1/device/virtfn0", 0755);
  fake.runner.on("udevadm", 0);
  fake.runner.on("sh", [](const Command&) { return CommandResult{Exited{1}, "p2p1: no such command", ""}; });
  const Network network = network_of("network_config: [{type: sriov_pf, name: p2p1, numvfs: 4}]\n");
  const auto run = [&] { (void)apply_layout(render(Provider::eni, network, "", fake.files), {}, fake.world); };
  const std::string make = "/bin/sh /etc/udev/os-net-config-sriov.sh p2p1 4 - - on";
  EXPECT_THAT(refusal(run), HasSubstr(cat(make, ": exit code 1: p2p1: no such command")));
  fake.runner.on("sh", 0);
  fake.runner.ran.clear();
  run();
  EXPECT_TRUE(fake.ran(make)) << "the rules are right by now";
  fake.runner.ran.clear();
  run();
  EXPECT_FALSE(fake.ran(make));
}

TEST(NetSriov, a_roll_back_gives_a_card_what_it_had) {
  FakeWorld fake;
  fake.files.put("/sys/class/net/p2p1/device/sriov_numvfs", "2\n");
  fake.runner.on("udevadm", 0);
  fake.runner.on("sh", 0);
  const Network network = network_of("network_config: [{type: sriov_pf, name: p2p1, numvfs: 4}]\n");
  ApplySettings settings;
  settings.check = *parse_url("http://192.0.2.80/");
  settings.patience = std::chrono::seconds(3);
  EXPECT_THAT(
      refusal([&] { (void)apply_layout(render(Provider::eni, network, "", fake.files), settings, fake.world); }),
      HasSubstr("rolled back"));
  const std::vector<std::string> changes = fake.changes();
  const auto back = std::find_if(changes.begin(), changes.end(), [](const std::string& line) {
    return line.ends_with("sh /sys/class/net/p2p1/device/sriov_numvfs 2");
  });
  ASSERT_NE(back, changes.end()) << join(changes, "\n");
  EXPECT_EQ(*(back - 2), "udevadm trigger --action=add /sys/class/net/p2p1") << "what former rules say";
}

TEST(NetSriov, former_rules_go_with_the_last_card) {
  fakes::MemoryFileSystem files;
  const Network none = network_of("network_config: [{type: interface, name: em1}]\n");
  EXPECT_EQ(file_of(render(Provider::eni, none, "", files), std::string(k_sriov_rules)), "(not there)");
  files.put(std::string(k_sriov_rules), "# somebody's own\n");
  EXPECT_EQ(file_of(render(Provider::eni, none, "", files), std::string(k_sriov_rules)), "(not there)");
  files.put(std::string(k_sriov_rules), "# This file is autogenerated by os-net-config\nx\n");
  EXPECT_EQ(file_of(render(Provider::eni, none, "", files), std::string(k_sriov_rules)), "");
}

void put_text(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

/// The script on plain files in the place of /sys: a number that is another is put to nothing first.
TEST(NetSriov, the_script_sets_the_number_of_functions) {
  const TempDir directory = TempDir::create("/tmp", "hearth-sriov-");
  const fs::path device = directory.path() / "class/net/p2p1/device";
  fs::create_directories(device);
  const fakes::MemoryFileSystem files;
  const Network network = network_of("network_config: [{type: sriov_pf, name: p2p1, numvfs: 4}]\n");
  const std::string script = file_of(render(Provider::eni, network, "", files), std::string(k_sriov_script));
  put_text(directory.path() / "script", replace_all(script, "/sys/", cat(directory.path().string(), "/")));
  for (const char* before : {"0", "4", "7"}) {
    put_text(device / "sriov_numvfs", cat(before, "\n"));
    const std::string command = cat("/bin/sh ", (directory.path() / "script").string(), " p2p1 4 - - -");
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read_file(device / "sriov_numvfs"), "4\n");
  }
}

/// What fails is not passed over, and no running guest loses its card.
TEST(NetSriov, the_script_fails_when_a_part_fails_and_takes_nothing_from_guests) {
  const TempDir directory = TempDir::create("/tmp", "hearth-sriov-");
  const fs::path device = directory.path() / "class/net/p2p1/device";
  fs::create_directories(device / "virtfn0");
  fs::create_symlink("/bus/pci/drivers/vfio-pci", device / "virtfn0/driver");
  const fakes::MemoryFileSystem files;
  const Network network = network_of("network_config: [{type: sriov_pf, name: p2p1, numvfs: 4}]\n");
  const std::string script = file_of(render(Provider::eni, network, "", files), std::string(k_sriov_script));
  put_text(directory.path() / "script", replace_all(script, "/sys/", cat(directory.path().string(), "/")));
  const auto run = [&directory](const std::string& words) {
    return std::system(cat("PATH=", directory.path().string(), ":$PATH; export PATH; /bin/sh ",
                           (directory.path() / "script").string(), " p2p1 ", words, " 2> ",
                           (directory.path() / "said").string())
                           .c_str());
  };
  put_text(device / "sriov_numvfs", "2\n");
  EXPECT_NE(run("4 - - -"), 0);
  EXPECT_EQ(read_file(device / "sriov_numvfs"), "2\n");
  EXPECT_THAT(read_file(directory.path() / "said"), HasSubstr("p2p1 has 2 functions and is to have 4"));
  EXPECT_EQ(run("2 - - -"), 0) << "as many as there are";
  put_text(directory.path() / "devlink", "#!/bin/sh\necho 'devlink: no such mode' >&2\nexit 1\n");
  fs::permissions(directory.path() / "devlink", fs::perms::owner_all);
  EXPECT_NE(run("2 - dmfs -"), 0);
  EXPECT_THAT(read_file(directory.path() / "said"), HasSubstr("no such mode"));
}

TEST(NetTap, each_provider_makes_it) {
  const fakes::MemoryFileSystem files;
  const Network network = network_of("network_config: [{type: linux_tap, name: tap0, use_dhcp: true}]\n");
  EXPECT_THAT(file_of(render(Provider::eni, network, "", files), "/etc/network/interfaces"),
              HasSubstr("pre-up [ -d /sys/class/net/tap0 ] || ip tuntap add dev tap0 mode tap\n"));
  EXPECT_THAT(
      file_of(render(Provider::networkd, network, "", files), "/etc/systemd/network/10-os-net-config-tap0.netdev"),
      HasSubstr("Name=tap0\nKind=tap\n"));
  EXPECT_THAT(file_of(render(Provider::ifcfg, network, "", files), "/etc/sysconfig/network-scripts/ifcfg-tap0"),
              HasSubstr("BOOTPROTO=dhcp\n"));
  EXPECT_THAT(file_of(render(Provider::ifcfg, network, "", files), "/etc/sysconfig/network-scripts/ifcfg-tap0"),
              testing::EndsWith("TYPE=Tap\n"));
}

TEST(NetReader, noop_needs_no_open_vswitch) {
  const std::string bridge = "network_config: [{type: ovs_bridge, name: br0}]\n";
  EXPECT_EQ(network_of(bridge, {}, {.only_shown = true}).devices.size(), 1U);
}

TEST(NetReader, a_patch_port_is_no_device_and_may_have_a_long_name) {
  const Network network =
      network_of("network_config: [{type: ovs_patch_port, name: br-ctlplane-patch, bridge_name: br0, peer: p}]\n", {},
                 {.only_shown = true});
  EXPECT_EQ(network.devices[0].name, "br-ctlplane-patch");
}

}  // namespace
}  // namespace hearth::agent::net
