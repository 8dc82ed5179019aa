#include "bootstrap/inventory/entry_check.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::string faults_of(const char* text) {
  ListingEntry entry;
  entry.data = Json::parse(text);
  EntryCheck check(entry, 0);
  check.all();
  std::vector<std::string> texts;
  for (const Fault& fault : check.take_faults()) texts.push_back(fault.text);
  return join(texts, " | ");
}

TEST(EntryCheck, goodEntriesHaveNoFaults) {
  for (const char* text :
       {R"({"pm_type": "fake_pxe", "mac": ["AA:AA:AA:AA:AA:AA"], "arch": "x86_64"})",
        R"({"pm_type": "pxe_ipmitool", "pm_addr": "192.0.2.5", "pm_user": "a", "pm_password": "b",
                               "ipmi_cipher_suite": 3, "cpu": "1", "memory": 1024, "disk": "10", "profile": "x",
                               "capabilities": {"boot_mode": "uefi"}, "resource_class": "gold", "_comment": "x"})",
        R"({"pm_type": "redfish", "pm_addr": "h", "pm_system_id": "1", "deploy_interface": "direct"})"}) {
    EXPECT_EQ(faults_of(text), "") << text;
  }
}

TEST(EntryCheck, everyFaultHasItsText) {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {R"({})", "pm_type (ironic driver to use) is required"},
      {R"({"pm_type": "manual"})", "unknown pm_type (ironic driver to use): manual (do you mean manual-management?)"},
      {R"({"pm_type": "ipmii"})", "unknown pm_type (ironic driver to use): ipmii (do you mean ipmi?)"},
      {R"({"pm_type": "IPMI"})", "unknown pm_type (ironic driver to use): IPMI (do you mean ipmi?)"},
      {R"({"pm_type": "redfish"})", "The following fields are missing: pm_addr"},
      {R"({"pm_type": "ipmi", "pm_addr": "10.9.1.2/24"})",
       "pm_addr 10.9.1.2/24: an address without its network's length (/24) is expected"},
      {R"({"pm_type": "fake_pxe"})", "The following fields are missing: mac"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "colour": 1})", "Unknown field colour"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "pm_system_id": 1})", "Unknown field pm_system_id"},
      {R"({"pm_type": "fake_pxe", "mac": "zz"})", "MAC address zz is invalid"},
      {R"({"pm_type": "fake_pxe", "mac": ["ff:ff:ff:ff:ff:ff"]})",
       "MAC address ff:ff:ff:ff:ff:ff is invalid: no single card has this address"},
      {R"({"pm_type": "fake_pxe", "mac": ["01:00:5e:00:00:01"]})",
       "MAC address 01:00:5e:00:00:01 is invalid: no single card has this address"},
      {R"({"pm_type": "fake_pxe", "mac": [41135080953]})",
       "MAC address 41135080953 is invalid: a program has read an address without quotes as a number of base 60; put "
       "it in "
       "quotes"},
      {R"({"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:01", "5254.0000.0001"]})",
       "MAC 52:54:00:00:00:01 is not unique"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "platform": "x"})",
       "You have specified a platform without an architecture"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "capabilities": "a:b,c"})", "Invalid capabilities: a:b,c"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "root_device": "/dev/sda"})",
       "Invalid root device: expected dict, got /dev/sda"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "root_device": {"sise": 1}})",
       "root_device.sise is no hint (do you mean size?)"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "cpu": 0})", "cpu must be a positive whole number, not 0"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "memory": "much"})", "memory must be a positive whole number, not much"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "name": "a b"})",
       "Name \"a b\" is invalid: letters, digits, - . _ ~, and no UUID"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "uuid": "x"})", "UUID x is invalid"},
      {R"({"pm_type": "ipmi", "pm_addr": "h", "ports": [{}]})", "a port needs an address: {}"}};
  for (const auto& [text, fault] : rows) EXPECT_EQ(faults_of(text), fault) << text;
}

TEST(EntryCheck, aMisspeltKeyOfTheDriverIsTold) {
  ListingEntry entry;
  entry.data = Json::parse(
      R"({"pm_type": "ipmi", "pm_addr": "h", "mac": "52:54:00:00:00:01", "ipmi_adress": "x", "ipmi_bridging": "no"})");
  EntryCheck check(entry, 2);
  check.all();
  EXPECT_TRUE(check.take_faults().empty());
  ASSERT_EQ(check.warnings().size(), 1U);
  EXPECT_EQ(check.warnings()[0].text, "the driver ipmi reads no ipmi_adress; did you mean ipmi_address?");
  EXPECT_EQ(faults_of(R"({"pm_type": "ipmi", "pm_addr": "h", "mac": "52:54:00:00:00:01", "ipmi_pasword": "x"})"),
            "the driver ipmi reads no ipmi_pasword; did you mean ipmi_password?")
      << "it would be no secret under that name";
}

TEST(EntryCheck, AMachineThatNoBootWillBeKnownByIsToldOf) {
  const auto warnings_of = [](const char* text) {
    ListingEntry entry;
    entry.data = Json::parse(text);
    EntryCheck check(entry, 0);
    check.all();
    return check.warnings();
  };
  const auto told = warnings_of(R"({"pm_type": "ipmi", "pm_addr": "192.0.2.5"})");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].text.find("no MAC address"), std::string::npos) << told[0].text;
  EXPECT_TRUE(warnings_of(R"({"pm_type": "ipmi", "pm_addr": "192.0.2.5", "mac": "52:54:00:00:00:01"})").empty());
  EXPECT_EQ(warnings_of(R"({"pm_type": "redfish", "pm_addr": "192.0.2.5"})").size(), 1U);
}

TEST(EntryCheck, severalFaultsAreAllTold) {
  EXPECT_EQ(faults_of(R"({"pm_type": "ipmi", "cpu": -1, "mac": ["x", "00:00:00:00:00:00"]})"),
            "The following fields are missing: pm_addr | cpu must be a positive whole number, not -1 | MAC address x "
            "is invalid | "
            "MAC address 00:00:00:00:00:00 is invalid: no single card has this address");
}

TEST(EntryCheck, aMaskIsNoSecret) {
  const std::string advice =
      " has ****** where a secret was: leave the line out, and what the database has stays; or put the secret there "
      "(hearth node export --secrets has it)";
  EXPECT_EQ(
      faults_of(R"({"pm_type": "ipmi", "pm_addr": "h", "pm_password": "******", "_comment": "password: ******"})"),
      cat("pm_password", advice));
  EXPECT_EQ(faults_of(R"({"pm_type": "ipmi", "pm_addr": "h", "kernel_id": "http://u:******@h/k"})"),
            cat("kernel_id", advice));
  EXPECT_EQ(faults_of(R"({"pm_type": "ipmi", "pm_addr": "h", "x_seed": {"user_data": "******"},
                          "extra": {"urls": ["https://h/?sig=******"]}})"),
            cat("x_seed.user_data", advice, " | extra.urls[0]", advice));
  EXPECT_EQ(
      faults_of(R"({"pm_type": "ipmi", "pm_addr": "h", "description": "rated ******", "extra": {"stars": "******"}})"),
      "");
  const auto entries = read_listing("[{\"pm_type\": \"ipmi\", \"pm_addr\": \"h\",\n \"pm_password\": \"******\"}]", "f",
                                    ListingFormat::json);
  const Drafts drafts = draft_nodes(entries.value());
  ASSERT_EQ(drafts.faults.size(), 1U);
  EXPECT_EQ(drafts.faults[0].at.line, 2);
}

}  // namespace
}  // namespace hearth::bootstrap
