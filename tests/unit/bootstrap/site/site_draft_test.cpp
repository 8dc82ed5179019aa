#include "bootstrap/site/site_draft.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "bootstrap/site/site_file.hpp"

namespace hearth::bootstrap {
namespace {

SiteDraft a_draft() {
  SiteDraft draft;
  draft.subnet = "192.0.2.0/24";
  draft.seed = usual_seed(draft.subnet);
  draft.pool = usual_pool(draft.subnet);
  return draft;
}

TEST(SiteDraft, whatIsWrittenIsReadAgain) {
  SiteDraft draft = a_draft();
  draft.router = "192.0.2.254";
  draft.dns = {"192.0.2.53"};
  draft.interface = "eth1";
  draft.template_file = "my stack.yaml";
  draft.bmc = {{"type", "redfish"}, {"user", "yes"}, {"password", "0123: #\"x"}};
  draft.machines = {{{"name", "a"},
                     {"mac", {"52:54:00:00:00:01", "52:54:00:00:00:02"}},
                     {"firmware", "uefi"},
                     {"bmc", {{"address", "https://198.51.100.1"}, {"system", "/redfish/v1/Systems/1"}}},
                     {"root_device", {{"size", ">= 200"}}}},
                    {{"name", "b"}, {"mac", "52:54:00:11:22:33"}, {"bmc", {{"type", "manual-management"}}}}};
  const Result<SiteFile, std::string> site = parse_site_file(site_text(draft), "/s/site.yaml");
  ASSERT_TRUE(site) << site.error() << "\n" << site_text(draft);
  EXPECT_EQ(site->router, "192.0.2.254");
  EXPECT_EQ(site->interface, "eth1");
  EXPECT_EQ(site->stack.template_file, "/s/my stack.yaml");
  ASSERT_EQ(site->machines.size(), 2U);
  EXPECT_TRUE(site->machines[0].uefi);
  const Json& entry = site->inventory[0].data;
  EXPECT_EQ(entry["mac"].size(), 2U);
  EXPECT_EQ(entry["pm_user"], "yes");
  EXPECT_EQ(entry["pm_password"], "0123: #\"x");
  EXPECT_EQ(entry["root_device"]["size"], ">= 200");
  EXPECT_EQ(site->inventory[1].data["pm_type"], "manual-management");
}

TEST(SiteDraft, aSiteWithoutMachinesTellsWhereTheyGo) {
  const std::string text = site_text(a_draft());
  EXPECT_TRUE(parse_site_file(text, "s.yaml")) << text;
  EXPECT_NE(text.find("machines: []          # {name, mac"), std::string::npos);
  EXPECT_NE(text.find("  # router: ADDRESS"), std::string::npos);
}

TEST(SiteDraft, usualAddressesFitTheNetwork) {
  EXPECT_EQ(usual_seed("192.0.2.0/24"), "192.0.2.1");
  EXPECT_EQ(usual_pool("192.0.2.0/24"), "192.0.2.100-192.0.2.199");
  EXPECT_EQ(usual_pool("192.0.2.64/27"), "192.0.2.79-192.0.2.93");
  EXPECT_EQ(usual_pool("192.0.2.0/30"), "192.0.2.2-192.0.2.2") << "the first is the seed's";
  EXPECT_EQ(usual_pool("192.0.2.0/31"), "");
  EXPECT_EQ(usual_pool("x"), "");
}

TEST(SiteDraft, anInventorysMachineBecomesASites) {
  const auto entries =
      read_listing(R"([{"name": "c", "pm_type": "ipmi", "pm_addr": "198.51.100.1", "ipmi_cipher_suite": "3",
    "mac": ["52:54:00:00:00:01"], "capabilities": "boot_mode:uefi,boot_option:local,hci:1", "profile": "control",
    "traits": ["X"], "x_seed": {"rack": "A", "ipv4_address": "192.0.2.9"}}])",
                   "i.json", ListingFormat::json);
  ASSERT_TRUE(entries);
  LeftOut left_out;
  EXPECT_EQ(site_machine(entries->at(0), left_out),
            (Json{{"name", "c"},
                  {"mac", "52:54:00:00:00:01"},
                  {"firmware", "uefi"},
                  {"profile", "control"},
                  {"bmc", {{"type", "ipmi"}, {"address", "198.51.100.1"}, {"ipmi_cipher_suite", "3"}}},
                  {"address", "192.0.2.9"},
                  {"x_seed", {{"rack", "A"}}}}));
  EXPECT_EQ(left_out, (LeftOut{{"capabilities hci:1", {"c"}}, {"traits", {"c"}}}));
}

TEST(SiteDraft, whatASiteFileHasNoWordForIsToldOnceWithTheWayToSetIt) {
  const auto entries = read_listing(
      "name,site,role,oob_ip\na,x,web,198.51.100.1\nb,x,web,198.51.100.2\nc,x,db,198.51.100.3\nd,x,db,198.51.100.4\n",
      "n.csv", ListingFormat::csv);
  ASSERT_TRUE(entries);
  LeftOut left_out;
  for (const ListingEntry& entry : *entries) static_cast<void>(site_machine(entry, left_out));
  EXPECT_EQ(left_out_lines(left_out),
            (std::vector<std::string>{"a site file has no word for extra.role (a, b, c and 1 more); once "
                                      "they are imported: hearth node set --extra role=… NODE…"}));
}

TEST(SiteDraft, wordsOfTheCommandLineMakeAMachine) {
  EXPECT_EQ(parse_machine_words("name=a,mac=52:54:00:00:00:01,bmc.address=https://198.51.100.1").value(),
            (Json{{"name", "a"}, {"mac", "52:54:00:00:00:01"}, {"bmc", {{"address", "https://198.51.100.1"}}}}));
  EXPECT_NE(parse_machine_words("name=a,mca=x").error().find("did you mean mac?"), std::string::npos);
  EXPECT_NE(parse_machine_words("mac=x").error().find("name= is missing"), std::string::npos);
  EXPECT_NE(parse_machine_words("a").error().find("KEY=VALUE is expected"), std::string::npos);
  EXPECT_EQ(parse_machine_words(R"(name=a,bmc.password=p\,q\\)").value()["bmc"]["password"], R"(p,q\)");
  EXPECT_EQ(parse_machine_words("name=a,bmc.password=p,q").error(),
            R"(--machine: KEY=VALUE is expected (a comma within a value is written \,))")
      << "no piece of a password is told";
}

TEST(SiteDraft, AWrongKeyOfABmcIsToldWithTheNearestRightOne) {
  EXPECT_EQ(bmc_fault("user", "admin"), "");
  EXPECT_EQ(bmc_fault("type", "pxe_ipmitool"), "") << "as inventories call it";
  EXPECT_EQ(bmc_fault("redfish_verify_ca", "false"), "") << "a driver's own";
  EXPECT_NE(bmc_fault("usr", "admin").find("a BMC has no key 'usr'; did you mean user?"), std::string::npos);
  EXPECT_NE(bmc_fault("pasword", "x").find("did you mean password?"), std::string::npos);
  EXPECT_NE(bmc_fault("type", "redfsh").find("there is no type 'redfsh' of BMC; did you mean redfish?"),
            std::string::npos);
  EXPECT_NE(parse_machine_words("name=a,bmc.adress=x").error().find("no key 'adress'; did you mean address?"),
            std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
