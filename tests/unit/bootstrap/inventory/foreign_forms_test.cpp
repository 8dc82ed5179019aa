#include "bootstrap/inventory/foreign_forms.hpp"

#include <gtest/gtest.h>

#include "bootstrap/inventory/draft.hpp"

namespace hearth::bootstrap {
namespace {

TEST(ForeignForms, bifrostsMachinesByName) {
  const auto nodes = read_listing(
      R"({"web1": {"uuid": "00000000-0000-0000-0000-000000000001", "driver": "ipmi",
          "driver_info": {"ipmi_address": "192.0.2.5", "deploy_kernel": "k"}, "nics": [{"mac": "52:54:00:00:00:01"}],
          "properties": {"cpu_arch": "x86_64", "ram": "1024", "disk_size": "10", "cpus": "2"}, "ipv4_address": "192.0.2.9"}})",
      "f", ListingFormat::json);
  ASSERT_TRUE(nodes);
  const Json& data = nodes->at(0).data;
  EXPECT_EQ(data["name"], "web1");
  EXPECT_EQ(data["pm_type"], "ipmi");
  EXPECT_EQ(data["ipmi_address"], "192.0.2.5");
  EXPECT_EQ(data["kernel_id"], "k");
  EXPECT_EQ(data["memory"], "1024");
  EXPECT_EQ(data["disk"], "10");
  EXPECT_EQ(data["mac"], Json::array({"52:54:00:00:00:01"}));
  EXPECT_EQ(data["x_seed"]["ipv4_address"], "192.0.2.9");
  EXPECT_FALSE(data.contains("nics"));
}

TEST(ForeignForms, bifrostsExampleHasItsBmcOneLevelDeeper) {
  const auto nodes = read_listing(
      R"({"testvm1": {"driver": "ipmi", "driver_info": {"power": {"ipmi_username": "admin", "ipmi_address": "192.0.2.5"}},
          "nics": [{"mac": "52:54:00:00:00:01"}]}})",
      "f", ListingFormat::json);
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->at(0).data["ipmi_address"], "192.0.2.5");
  EXPECT_EQ(nodes->at(0).data["ipmi_username"], "admin");
  EXPECT_FALSE(nodes->at(0).data.contains("power"));
}

TEST(ForeignForms, columnsOfOnesOwnArePlacesOrLeftOutAndMisspeltOnesAreToldOnce) {
  const auto nodes = read_listing(
      "\npm_type;pm_addr;mac_address;rack;asset_"
      "tag\nipmi;192.0.2.5;52:54:00:00:00:01;A1;7\nipmi;192.0.2.6;52:54:00:00:00:"
      "02;A2;8\n",
      "own.csv", ListingFormat::csv);
  ASSERT_TRUE(nodes) << nodes.error().text();
  EXPECT_EQ(nodes->at(1).data["mac"], Json::array({"52:54:00:00:00:02"}));
  EXPECT_EQ(nodes->at(1).data["x_seed"]["rack"], "A2");
  EXPECT_TRUE(nodes->at(1).left_out.contains("asset_tag"));
  EXPECT_FALSE(nodes->at(1).data.contains("asset_tag"));
  const auto misspelt =
      read_listing("pm_type,pm_adr,mac\nipmi,192.0.2.5,52:54:00:00:00:01\n", "own.csv", ListingFormat::csv);
  ASSERT_FALSE(misspelt);
  EXPECT_EQ(misspelt.error().text(), "own.csv:1:1: unknown columns: pm_adr (do you mean pm_addr?)");
  const auto otherwise =
      read_listing("pm_type,pm_address,username,pm_password,mac\nipmi,192.0.2.5,u,p,52:54:00:00:00:01\n", "own.csv",
                   ListingFormat::csv);
  ASSERT_FALSE(otherwise) << "each row would lack its BMC";
  EXPECT_EQ(otherwise.error().text(),
            "own.csv:1:1: unknown columns: pm_address (do you mean pm_addr?), username (do you mean pm_user?)");
  const auto beside = read_listing("pm_type,pm_addr,ip,mac\nipmi,192.0.2.5,198.51.100.5,52:54:00:00:00:01\n", "own.csv",
                                   ListingFormat::csv);
  ASSERT_TRUE(beside) << "another address than its BMC's, of which the table has a column";
  const auto twice = read_listing("pm_type,pm_addr,mac_address,,,mac\nipmi,192.0.2.5,52:54:00:00:00:01,,,\n", "own.csv",
                                  ListingFormat::csv);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().text(), "own.csv:1:1: the column mac stands twice");
}

TEST(ForeignForms, ironicsOwnCreateFile) {
  const auto nodes = read_listing(
      R"({"nodes": [{"name": "n", "driver": "redfish", "driver_info": {"redfish_address": "https://192.0.2.6"},
          "properties": {"cpus": 1, "odd": "x"}, "ports": [{"address": "52:54:00:00:00:02", "pxe_enabled": true}]}]})",
      "f", ListingFormat::json);
  ASSERT_TRUE(nodes);
  const Json& data = nodes->at(0).data;
  EXPECT_EQ(data["pm_type"], "redfish");
  EXPECT_EQ(data["cpu"], 1);
  EXPECT_EQ(data["properties.odd"], "x");
  EXPECT_EQ(data["ports"][0]["address"], "52:54:00:00:00:02");
}

TEST(ForeignForms, portsThatAreNoListAreAFaultBesidePortGroupsToo) {
  const auto nodes = read_listing(
      R"([{"name": "n", "driver": "ipmi", "driver_info": {"ipmi_address": "192.0.2.6"}, "ports": {},
           "portgroups": [{"ports": [{"address": "52:54:00:00:00:02"}]}]}])",
      "f", ListingFormat::json);
  ASSERT_TRUE(nodes);
  const std::string faults = faults_text(draft_nodes(*nodes).faults, {}, "f");
  EXPECT_NE(faults.find("f:1:"), std::string::npos) << faults;
  EXPECT_NE(faults.find("ports must be a list"), std::string::npos) << faults;
}

TEST(ForeignForms, csvWithQuotes) {
  const auto nodes = read_listing(
      "ipmi,192.0.2.5,admin,\"a,\"\"b\",52:54:00:00:00:01\n\nfake_pxe,,,,52:54:00:00:00:02\n", "f", ListingFormat::csv);
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->at(0).data["pm_password"], "a,\"b");
  EXPECT_FALSE(nodes->at(1).data.contains("pm_addr"));
  EXPECT_EQ(nodes->at(1).at.line, 3);
  EXPECT_EQ(read_listing("a,b\n", "x.csv", ListingFormat::csv).error().text(),
            "x.csv:1:1: 2 columns that are no header of ours: known are pm_type,pm_addr,pm_user,pm_password,mac, "
            "bifrost's columns, and the "
            "headers of Tinkerbell's hardware.csv and NetBox' devices");
  EXPECT_FALSE(read_listing("a,b,c,d,\"e\n", "x.csv", ListingFormat::csv));
}

TEST(ForeignForms, headingsAsOthersCallThemAreToldWithOurs) {
  for (const char* rest : {"", ",Serial,Remarks"}) {
    const std::string head = cat("Name,BMC IP,BMC User,BMC Password,MAC", rest, "\n");
    EXPECT_EQ(
        read_listing(cat(head, "a,192.0.2.1,u,p,52:54:00:00:00:01\n"), "f", ListingFormat::csv).error().text(),
        "f:1:1: a header whose columns have other names here: Name (name), BMC IP (pm_addr), BMC User (pm_user), BMC "
        "Password (pm_password), MAC (mac); expected are name,pm_type,pm_addr,pm_user,pm_password,mac, where "
        "pm_type is redfish, ipmi, …");
  }
}

TEST(ForeignForms, errors_of_tables_have_no_passwords) {
  for (const char* text : {"ipmi,192.0.2.5,root,hunter2,52:54:00:00:00:01,web1\n",
                           "pm_type,pm_addr,pm_user,pm_password,mac\nipmi,192.0.2.5,root,hunter2\n"}) {
    const auto nodes = read_listing(text, "f", ListingFormat::csv);
    ASSERT_FALSE(nodes) << text;
    EXPECT_EQ(nodes.error().text().find("hunter2"), std::string::npos) << nodes.error().text();
  }
  // A table that is taken for another one's has a machine where the header is expected.
  const auto forced = read_listing("a,hunter2,c\nd,e\n", "f", ListingFormat::netbox);
  ASSERT_FALSE(forced);
  EXPECT_EQ(forced.error().text(), "f:2:1: 2 columns instead of 3, which the header has");
}

TEST(ForeignForms, scriptsOfTheOldEnrolmentCommand) {
  const auto nodes = read_listing(
      "# our machines\nnova baremetal-node-create --pm_user root --pm_address=192.0.2.7 --pm_password p ubuntu 24 "
      "98304 2048 "
      "52:54:00:00:00:03\nubuntu 1 1024 10 52:54:00:00:00:04\n",
      "f", ListingFormat::lines);
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->at(0).data["pm_type"], "ipmi");
  EXPECT_EQ(nodes->at(0).data["pm_addr"], "192.0.2.7");
  EXPECT_EQ(nodes->at(0).data["cpu"], "24");
  EXPECT_EQ(nodes->at(0).data["memory"], "98304");
  EXPECT_EQ(nodes->at(0).data["disk"], "2048");
  EXPECT_EQ(nodes->at(1).data["pm_type"], "fake_pxe");
  EXPECT_FALSE(read_listing("a b c\n", "f", ListingFormat::lines));
}

TEST(ForeignForms, aMistypedObjectOfIronicsIsToldAsItIsMeant) {
  const auto entries =
      read_listing("nodes:\n- {name: a, driver: ipmi, driver_info: {ipmi_address: h}, propeties: {cpu_arch: x86_64}}\n",
                   "i.yaml", ListingFormat::any);
  ASSERT_TRUE(entries) << entries.error().text();
  EXPECT_NE(faults_text(draft_nodes(*entries).faults, {}, "i.yaml").find("propeties (do you mean properties?)"),
            std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
