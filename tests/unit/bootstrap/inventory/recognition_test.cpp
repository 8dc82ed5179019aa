#include "bootstrap/inventory/recognition.hpp"

#include <gtest/gtest.h>

#include "bootstrap/inventory/draft.hpp"

namespace hearth::bootstrap {
namespace {

struct Refused {
  const char* text;
  const char* fault;
};

TEST(Recognition, what_is_no_form_or_two_is_refused_with_place_and_nearest_right_thing) {
  for (const auto& [text, fault] : {
           Refused{"node:\n- pm_type: ipmi\n",
                   "f:1:1: no form of inventory has \"node\" at its top; do you mean \"nodes\"?"},
           Refused{
               "nodes: [{xname: x1c0s0b0n0}, {system_id: a}]\n",
               "f:1:1: this may be two forms: maas (by system_id) and openchami (by xname); say which: --format maas"},
           Refused{"network: {}\nmachines: []\nnodes: {w0: {}}\n",
                   "f:1:1: this may be two forms: site (by network) and warewulf (by nodes); say which: --format site"},
           Refused{
               "---\napiVersion: v1\nkind: BareMetalHots\n",
               "f:2:1: there is no BareMetalHost and no Hardware among these objects, but BareMetalHots; do you mean "
               "BareMetalHost?"},
           Refused{"nodes: []\n---\nnodes: []\n",
                   "f:3:1: a second document: only Kubernetes' objects stand in several"},
           Refused{"[a:childern]\nb\n",
                   "f:1:1: a section is [GROUP], [GROUP:children] or [GROUP:vars], not [a:childern]; do you mean "
                   ":children?"},
           Refused{"[a]\nw0 mac=\"x\n", "f:2:1: a quote is not closed"},
           Refused{"n1 ipmi_username=root ipmi_password= hunter2\n",
                   "f:1:1: word 4 has no =: behind the host's name KEY=VALUE is expected, without a space at the ="},
           Refused{"[compute]\nw0\n[comptue:vars]\nipmi_password=x\n",
                   "f:3:1: there is no group [comptue]; do you mean [compute]?"},
           Refused{"[a:children]\nb\n[b:vars]\nx=1\n", "f:2:1: there is no group [b]"},
           Refused{"[a:children]\nb\n", "f:2:1: there is no group [b]"},
           Refused{"nodes:\n- a\n---\n- [\n", "f:4:3: this '[' is not closed"},
           Refused{"all:\n  hosts:\n    w0: {ipmi_password: !vault a}\n",
                   "f:3:25: the value is encrypted by ansible-vault"},
           Refused{"$ANSIBLE_VAULT;1.1;AES256\n3630\n", "f:1:1: the file is encrypted by ansible-vault"},
           Refused{"name,role,site\nw0,\"a\nb\n", "f:2:1: a quote is not closed"},
       }) {
    const auto entries = read_listing(text, "f");
    ASSERT_FALSE(entries) << text;
    EXPECT_EQ(entries.error().text().substr(0, std::string_view(fault).size()), fault);
  }
}

TEST(Recognition, a_form_that_is_forced_says_what_it_expects) {
  EXPECT_EQ(read_listing("nodes: []\n", "f", ListingFormat::warewulf).error().text(),
            "f:1:1: as warewulf, an object of nodes by name, \"nodes\", is expected");
  EXPECT_EQ(read_listing("nodes: []\n", "f", ListingFormat::metal3).error().text(),
            "f:1:1: as metal3, an object of the kind BareMetalHost is expected");
  EXPECT_TRUE(read_listing("nodes: [{xname: x1c0s0b0n0}, {system_id: a}]\n", "f", ListingFormat::openchami));
}

TEST(Recognition, how_a_text_is_written) {
  for (const auto& [text, syntax] :
       {std::pair{"# x\n\n[all]\n", ListingFormat::ini}, std::pair{"[\n{}]", ListingFormat::json},
        std::pair{"[{\"a\": 1}]", ListingFormat::json}, std::pair{"w0 a=b\n", ListingFormat::ini},
        std::pair{"a,b,c\n", ListingFormat::csv}, std::pair{"\na;b;c\n", ListingFormat::csv},
        std::pair{"u 1 1024 10 52:54:00:00:00:04\n", ListingFormat::lines},
        std::pair{"---\n- a\n", ListingFormat::yaml}})
    EXPECT_EQ(syntax_of(text), syntax) << text;
}

TEST(Recognition, bifrosts_columns_and_ours_with_a_header) {
  const auto bifrost = read_listing(
      "52:54:00:00:00:01,root,secret,192.0.2.5,1,8192,512,Control,VM,00000000-0000-0000-0000-000000000001,w0,192.0.2.9,"
      ",,,,ipmi\n"
      "52:54:00:00:00:02,root,secret,192.0.2.6,1,8192,512,,,,w1,,1,2,3,4\n",
      "baremetal.csv.example");
  ASSERT_TRUE(bifrost) << bifrost.error().text();
  const Drafts drafts = draft_nodes(*bifrost);
  EXPECT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "f");
  EXPECT_EQ(drafts.nodes[0].info("ipmi_username"), "root");
  EXPECT_EQ(drafts.nodes[0].extra["x_seed"]["ipv4_address"], "192.0.2.9");
  EXPECT_EQ(drafts.nodes[1].info("ipmi_transit_address"), "4");
  const auto own = read_listing("pm_type,pm_addr,mac\nipmi,192.0.2.5,52:54:00:00:00:01\n", "f");
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_EQ(own->at(0).data["pm_addr"], "192.0.2.5");
}

TEST(Recognition, netbox_heads_custom_fields_by_their_labels) {
  const auto entries = read_listing(
      "Name,Status,Device type,OOB IP,Comments,ID,pm_type,pm_user,mac\n"
      "w0,Planned,R640,192.0.2.5/24,,1,IPMI,admin,\"52:54:00:00:00:01,52:54:00:00:00:02\"\n"
      "w1,Active,R640,192.0.2.6/24,spare,2,Redfish,admin,52:54:00:00:00:03\n"
      "w2,Decommissioning,R640,192.0.2.7/24,,3,Redfish,admin,52:54:00:00:00:04\n",
      "f");
  ASSERT_TRUE(entries) << entries.error().text();
  const Drafts drafts = draft_nodes(*entries);
  EXPECT_TRUE(drafts.good()) << faults_text(drafts.faults, *entries, "f");
  ASSERT_EQ(drafts.nodes.size(), 3U);
  EXPECT_EQ(drafts.nodes[0].driver, "ipmi");
  EXPECT_EQ(drafts.nodes[0].info("ipmi_address"), "192.0.2.5");
  EXPECT_EQ(drafts.nodes[0].ports.size(), 2U);
  EXPECT_EQ(drafts.nodes[0].in_use, "");
  EXPECT_EQ(drafts.nodes[1].in_use, "status Active");
  EXPECT_EQ(drafts.nodes[2].in_use, "status Decommissioning");
  const auto own = read_listing("name,site,pm_type,pm_addr,mac\na,x,Ipmi,192.0.2.5,52:54:00:00:00:01\n", "f");
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_EQ(own->at(0).data["pm_type"], "ipmi");
  EXPECT_TRUE(own->at(0).in_use.empty()) << "a table of one's own";
  const auto capitals =
      read_listing("Name;PM_Type;PM_Addr;PM_User;PM_Password;MAC\na;IPMI;192.0.2.5;u;p;52:54:00:00:00:01\n", "f");
  ASSERT_TRUE(capitals) << capitals.error().text();
  EXPECT_EQ(capitals->at(0).data["pm_user"], "u");
}

TEST(Recognition, what_spreadsheets_write) {
  const auto entries = read_listing(
      "\xef\xbb\xbfname,role,mac_address,description\r\nw0,a,52:54:00:00:00:01,\"one, "
      "\"\"two\"\"\r\nthree\"\r\nw1,b,52:54:00:00:00:02,\r\n",
      "f");
  ASSERT_TRUE(entries) << entries.error().text();
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ(entries->at(0).data["description"], "one, \"two\"\r\nthree");
  EXPECT_EQ(entries->at(1).at.line, 4);
  EXPECT_TRUE(read_listing("\xef\xbb\xbf[a]\nw0 ipmi_address=192.0.2.5\n", "f"));
}

TEST(Recognition, ironics_chassis_and_port_groups) {
  const auto entries = read_listing(
      R"({"chassis": [{"description": "c", "nodes": [{"name": "a", "driver": "ipmi", "driver_info": {"ipmi_address": "192.0.2.5"},
          "portgroups": [{"name": "g", "ports": [{"address": "52:54:00:00:00:02"}]}], "ports": [{"address": "52:54:00:00:00:01"}]}]}],
          "nodes": [{"name": "b", "driver": "fake-hardware", "chassis_uuid": "x"}]})",
      "f");
  ASSERT_TRUE(entries) << entries.error().text();
  const Drafts drafts = draft_nodes(*entries);
  EXPECT_EQ(drafts.nodes.size(), 2U);
  EXPECT_EQ(drafts.nodes[1].ports.size(), 2U);
}

TEST(Recognition, aSpreadsheetIsNamedByItsBytes) {
  EXPECT_EQ(spreadsheet_kind("PK\x03\x04 [Content_Types].xml"), "a spreadsheet of Excel (.xlsx)");
  EXPECT_EQ(spreadsheet_kind("PK\x03\x04 mimetypeapplication/vnd.oasis.opendocument.spreadsheet"),
            "a spreadsheet of LibreOffice (.ods)");
  EXPECT_EQ(spreadsheet_kind("\xd0\xcf\x11\xe0\xa1"), "a spreadsheet of Excel (.xls)");
  EXPECT_EQ(spreadsheet_kind("PK\x03\x04 x.txt"), "a ZIP archive");
  EXPECT_EQ(spreadsheet_kind("name,mac\n"), "");
}

}  // namespace
}  // namespace hearth::bootstrap
