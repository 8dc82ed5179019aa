#include "agent/net/apply.hpp"

#include <gmock/gmock.h>

#include "agent/net/state_file.hpp"
#include "tests/unit/agent/net/world_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* k_old = "network_config: [{type: interface, name: em1, addresses: [{ip_netmask: 192.0.2.1/24}]}]";
constexpr const char* k_new = "network_config: [{type: interface, name: em1, addresses: [{ip_netmask: 192.0.2.9/24}]}]";
constexpr const char* k_interfaces = "/etc/network/interfaces";

class Apply : public testing::Test {
 protected:
  bool apply(const std::string& yaml) {
    return apply_layout(render(Provider::eni, network_of(yaml), "", fake.files), settings, fake.world);
  }
  void checked() {
    settings.check = *parse_url("http://192.0.2.80/");
    settings.patience = std::chrono::seconds(3);
  }
  FakeWorld fake;
  ApplySettings settings;
};

TEST_F(Apply, StopsWritesAndStarts) {
  EXPECT_TRUE(apply(k_old));
  EXPECT_THAT(fake.changes(),
              ElementsAre("/sbin/ifdown em1", "ip addr flush dev em1", "ip link set dev em1 down", "/sbin/ifup em1"));
  EXPECT_THAT(fake.text(k_interfaces), HasSubstr("address 192.0.2.1"));
  EXPECT_EQ(fake.text(state_path("")), "(not there)");
}

TEST_F(Apply, SecondTimeDoesNothing) {
  (void)apply(k_old);
  fake.runner.ran.clear();
  EXPECT_FALSE(apply(k_old));
  EXPECT_THAT(fake.changes(), IsEmpty());
}

TEST_F(Apply, NoopPrintsAndTouchesNothing) {
  settings.noop = true;
  EXPECT_TRUE(apply(k_old));
  EXPECT_EQ(fake.printed,
            "File: /etc/network/interfaces\n\nauto em1\niface em1 inet static\n    address 192.0.2.1\n"
            "    netmask 255.255.255.0\n\n----\n");
  EXPECT_THAT(fake.changes(), IsEmpty());
  EXPECT_EQ(fake.text(k_interfaces), "(not there)");
}

TEST_F(Apply, WithoutActivationOnlyFilesChange) {
  settings.activate = false;
  EXPECT_TRUE(apply(k_old));
  EXPECT_THAT(fake.changes(), IsEmpty());
  EXPECT_NE(fake.text(k_interfaces), "(not there)");
}

TEST_F(Apply, FailedStartIsAnErrorAndIsTriedAgain) {
  fake.runner.on("ifup", [](const Command&) { return CommandResult{Exited{1}, "no such device", ""}; });
  EXPECT_THAT(refusal([this] { (void)apply(k_old); }), HasSubstr("/sbin/ifup em1: exit code 1: no such device"));
  EXPECT_THAT(load_state("", fake.files).pending, ElementsAre("em1"));
  fake.runner.on("ifup", 0);
  fake.runner.ran.clear();
  EXPECT_FALSE(apply(k_old)) << "the files were right already";
  EXPECT_TRUE(fake.ran("/sbin/ifup em1"));
  EXPECT_THAT(load_state("", fake.files).pending, IsEmpty());
}

TEST_F(Apply, CheckThatHoldsKeepsTheNewConfiguration) {
  (void)apply(k_old);
  checked();
  fake.http.on("GET", "http://192.0.2.80/", 200);
  EXPECT_TRUE(apply(k_new));
  EXPECT_THAT(fake.text(k_interfaces), HasSubstr("192.0.2.9"));
}

TEST_F(Apply, CheckThatFailsPutsFilesAndInterfacesBack) {
  (void)apply(k_old);
  const std::string before = fake.text(k_interfaces);
  checked();
  fake.runner.ran.clear();
  EXPECT_THAT(refusal([this] { (void)apply(k_new); }),
              HasSubstr("the new configuration was rolled back: connecting to 192.0.2.80: Connection refused"));
  EXPECT_EQ(fake.text(k_interfaces), before);
  EXPECT_EQ(fake.changes().back(), "/sbin/ifup em1");
  EXPECT_EQ(fake.text(state_path("")), "(not there)");
}

TEST_F(Apply, GatewayThatNoLongerAnswersRollsBack) {
  (void)apply(k_old);
  checked();
  fake.http.on("GET", "http://192.0.2.80/", 200);
  fake.ip_answers["ip route show default"] = "default via 192.0.2.254 dev em1\n";
  fake.ip_answers["ip neigh show 192.0.2.254"] = "192.0.2.254 dev em1 lladdr 52:54:00:00:00:01 REACHABLE\n";
  fake.runner.on("ifup", [this](const Command&) {
    fake.ip_answers["ip neigh show 192.0.2.254"] = "192.0.2.254 dev em1 FAILED\n";
    return CommandResult{Exited{0}, "", ""};
  });
  EXPECT_THAT(refusal([this] { (void)apply(k_new); }), HasSubstr("the gateway 192.0.2.254 does not answer"));
  EXPECT_THAT(fake.text(k_interfaces), HasSubstr("192.0.2.1\n"));
}

TEST_F(Apply, DeviceThatSomethingElseConfiguredGetsItsAddressBack) {
  checked();
  fake.ip_answers["ip -o addr show dev em1 scope global"] = "2: em1    inet 198.51.100.7/24 scope global em1\n";
  fake.ip_answers["ip route show dev em1"] = "default via 198.51.100.1\n";
  EXPECT_THAT(refusal([this] { (void)apply(k_new); }), HasSubstr("rolled back"));
  EXPECT_EQ(fake.text(k_interfaces), "(not there)");
  EXPECT_TRUE(fake.ran("ip addr add 198.51.100.7/24 dev em1"));
  EXPECT_EQ(fake.changes().back(), "ip -4 route replace default via 198.51.100.1 dev em1");
}

TEST_F(Apply, FullDiskDuringACheckedRunPutsEverythingBack) {
  (void)apply(k_old);
  checked();
  fake.files.fail_write_after(1);  // the state file is still written
  EXPECT_NE(refusal([this] { (void)apply(k_new); }), "(no error)");
  EXPECT_THAT(fake.text(k_interfaces), HasSubstr("192.0.2.1\n"));
}

TEST_F(Apply, RunThatDiedWhileItsCheckDecidedIsRepairedByTheNext) {
  (void)apply(k_new);
  save_state({{"em1"}, {{k_interfaces, "auto em1\niface em1 inet dhcp\n"}}}, "", fake.files);
  repair_after_crash(settings, fake.world);
  EXPECT_EQ(fake.text(k_interfaces), "auto em1\niface em1 inet dhcp\n");
  EXPECT_THAT(load_state("", fake.files).rollback, IsEmpty());
  EXPECT_THAT(load_state("", fake.files).pending, ElementsAre("em1"));
}

TEST_F(Apply, RemovedUnitsAreStoppedAndLoseTheirStanzas) {
  fake.files.put(k_interfaces, "auto em1 em2\niface em1 inet dhcp\niface em2 inet dhcp\n");
  EXPECT_TRUE(remove_units({"em2"}, settings, fake.world));
  EXPECT_TRUE(fake.ran("/sbin/ifdown em2"));
  EXPECT_EQ(fake.text(k_interfaces), "auto em1\niface em1 inet dhcp\n");
  EXPECT_FALSE(remove_units({"em2"}, settings, fake.world));
}

}  // namespace
}  // namespace hearth::agent::net
