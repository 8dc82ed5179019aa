#include "bootstrap/inventory/export_forms.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "bootstrap/inventory/draft.hpp"
#include "bootstrap/inventory/matching.hpp"
#include "tests/unit/bootstrap/inventory/form_examples.hpp"

namespace hearth::bootstrap {
namespace {

std::vector<NodeDraft> nodes_read_from(std::string_view text, ListingFormat form = ListingFormat::any) {
  const auto entries = read_listing(text, "inv", form);
  if (!entries) {
    ADD_FAILURE() << entries.error().text() << "\n" << text;
    return {};
  }
  const Drafts drafts = draft_nodes(*entries);
  EXPECT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "inv") << "\n" << text;
  return drafts.nodes;
}

/// As `hearth node export` has the nodes.
Json exported(const std::vector<NodeDraft>& drafts, bool secrets) {
  Json nodes = Json::array();
  for (const NodeDraft& draft : drafts) {
    Node node;
    node.uuid = cat("00000000-0000-0000-0000-00000000000", nodes.size());
    apply_draft({.draft = draft, .new_ports = draft.ports}, node, 0);
    nodes.push_back(inventory_entry(node, secrets));
  }
  return nodes;
}

std::string shown(const NodeDraft& draft) {
  Json macs = Json::array();
  for (const Port& port : draft.ports) macs.push_back(port.address);
  // JSON's members by name: forms have orders of their own.
  const nlohmann::json all = nlohmann::json::parse(format_json({{"name", draft.name},
                                                                {"driver", draft.driver},
                                                                {"info", draft.driver_info},
                                                                {"properties", draft.properties},
                                                                {"macs", macs},
                                                                {"extra", draft.extra}}));
  return all.dump(1);
}

TEST(ExportForms, what_a_form_can_hold_comes_back) {
  for (const FormExample& each : k_form_examples) {
    const std::vector<NodeDraft> before = nodes_read_from(each.text);
    std::set<std::string> lost;
    const std::string text = render_inventory(exported(before, true), each.form, lost);
    const std::vector<NodeDraft> after = nodes_read_from(text);
    ASSERT_EQ(after.size(), before.size()) << text;
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(shown(after[i]), shown(before[i])) << text;
    lost.erase("uuid");
    lost.erase("an xname, which OpenCHAMI asks for (hearth node set --extra xname=…)");
    EXPECT_TRUE(lost.empty()) << name_of(each.form) << ": " << *lost.begin();
  }
}

TEST(ExportForms, our_own_comes_back_from_ironics_and_bifrosts) {
  const std::vector<NodeDraft> before = nodes_read_from(
      R"({"nodes": [{"name": "a", "pm_type": "ipmi", "pm_addr": "192.0.2.5", "pm_password": "p", "mac": ["52:54:00:00:00:01"],
          "arch": "x86_64", "cpu": 4, "memory": 1024, "disk": 10, "capabilities": "boot_mode:uefi", "kernel_id": "k",
          "root_device": {"serial": "S"}, "x_seed": {"ipv4_address": "192.0.2.9"}}]})");
  for (const ListingFormat form : {ListingFormat::instackenv, ListingFormat::ironic, ListingFormat::bifrost}) {
    std::set<std::string> lost;
    const std::string text = render_inventory(exported(before, true), form, lost);
    EXPECT_EQ(shown(nodes_read_from(text).at(0)), shown(before.at(0))) << text;
    EXPECT_TRUE(lost.empty());
  }
}

TEST(ExportForms, passwords_only_come_when_they_are_asked_for) {
  const std::vector<NodeDraft> nodes = nodes_read_from(
      R"([{"name": "a", "pm_type": "ipmi", "pm_addr": "192.0.2.5", "pm_user": "u", "pm_password": "hidden", "ipmi_hex_kg_key":
          "hidden", "extra": {"bmc": {"its_password": "hidden"}}, "mac": ["52:54:00:00:00:01"]},
          {"name": "b", "pm_type": "redfish", "pm_addr": "https://u:hidden@192.0.2.6", "mac": ["52:54:00:00:00:02"]}])");
  for (const std::string& name : export_form_names()) {
    std::set<std::string> lost;
    const std::string text = render_inventory(exported(nodes, false), format_named(name).value(), lost);
    EXPECT_EQ(text.find("hidden"), std::string::npos) << text;
    EXPECT_EQ(text.find("aGlkZGVu"), std::string::npos) << text;
  }
}

TEST(ExportForms, what_is_written_without_secrets_is_read_again) {
  const std::vector<NodeDraft> nodes = nodes_read_from(
      R"([{"name": "a", "pm_type": "ipmi", "pm_addr": "192.0.2.5", "pm_user": "u", "pm_password": "hidden", "mac": ["52:54:00:00:00:01"]},
          {"name": "b", "pm_type": "redfish", "pm_addr": "https://192.0.2.6", "mac": ["52:54:00:00:00:02"]}])");
  for (const std::string& name : export_form_names()) {
    const ListingFormat form = format_named(name).value();
    std::set<std::string> lost;
    EXPECT_EQ(nodes_read_from(render_inventory(exported(nodes, false), form, lost)).size(), nodes.size()) << name;
    const bool has_secrets = form == ListingFormat::metal3 || form == ListingFormat::tinkerbell;
    EXPECT_EQ(lost.contains("pm_user (a Secret is written with its password only: --secrets)"), has_secrets) << name;
  }
}

TEST(ExportForms, a_text_of_several_lines_comes_back_from_a_table) {
  const std::vector<NodeDraft> before = nodes_read_from(
      R"([{"name": "a", "pm_type": "ipmi", "pm_addr": "192.0.2.5", "pm_password": "one\rtwo", "mac": ["52:54:00:00:00:01"]}])");
  std::set<std::string> lost;
  const std::string text = render_inventory(exported(before, true), ListingFormat::netbox, lost);
  EXPECT_NE(text.find("\"one\rtwo\""), std::string::npos) << text;
  EXPECT_EQ(shown(nodes_read_from(text).at(0)), shown(before.at(0)));
}

TEST(ExportForms, a_table_has_a_column_for_each_field_and_is_read_again) {
  const std::vector<NodeDraft> before = nodes_read_from(
      R"([{"name": "a1", "pm_type": "ipmi", "pm_addr": "192.0.2.5", "pm_user": "u", "pm_password": "p\"q", "cpu": 4, 
           "mac": ["52:54:00:00:00:01", "52:54:00:00:00:02"], "capabilities": "boot_mode:uefi,profile:web", "x_seed": {"rack": "r1"}},
          {"name": "b", "pm_type": "redfish", "pm_addr": "https://192.0.2.6", "mac": ["52:54:00:00:00:03"]}])");
  std::set<std::string> lost;
  const std::string text = render_inventory(exported(before, true), ListingFormat::csv, lost);
  EXPECT_EQ(text.substr(0, text.find("mac,")), "name,pm_type,pm_addr,pm_user,pm_password,") << text;
  EXPECT_NE(text.find("52:54:00:00:00:01 52:54:00:00:00:02"), std::string::npos) << text;
  const std::vector<NodeDraft> after = nodes_read_from(text);
  ASSERT_EQ(after.size(), 2U) << text;
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(shown(after[i]), shown(before[i])) << text;
  EXPECT_TRUE(lost.empty()) << *lost.begin();
  (void)render_inventory(exported(nodes_read_from(R"([{"name": "c", "pm_type": "fake_pxe", "mac": ["52:54:00:00:00:04"],
      "root_device": {"serial": "S"}}])"),
                                  true),
                         ListingFormat::csv, lost);
  EXPECT_EQ(lost, std::set<std::string>{"root_device.serial"});
}

TEST(ExportForms, what_a_form_has_no_place_for_is_told) {
  std::set<std::string> lost;
  (void)render_inventory(
      exported(nodes_read_from(R"([{"name": "a", "pm_type": "libvirt", "pm_addr": "qemu:///system", "cpu": 4,
      "mac": ["52:54:00:00:00:01", "52:54:00:00:00:02"]}])"),
               true),
      ListingFormat::metal3, lost);
  EXPECT_EQ(lost, (std::set<std::string>{"cpu", "further MACs", "pm_addr", "the driver libvirt", "uuid"}));
}

TEST(ExportForms, whether_certificates_are_looked_at_goes_along_or_is_told) {
  for (const auto& [form, word] : {std::pair{ListingFormat::metal3, "disableCertificateVerification: true"},
                                   std::pair{ListingFormat::tinkerbell, "insecureTLS: true"}}) {
    for (const auto& [verify, goes] :
         {std::pair{"False", true}, std::pair{"false", true}, std::pair{"/ca.pem", false}}) {
      std::set<std::string> lost;
      const auto nodes = exported(nodes_read_from(cat(R"([{"name": "a", "pm_type": "redfish", "pm_addr": "192.0.2.5",
          "mac": ["52:54:00:00:00:01"], "redfish_verify_ca": ")",
                                                      verify, "\"}]")),
                                  true);
      EXPECT_EQ(render_inventory(nodes, form, lost).find(word) != std::string::npos, goes) << verify;
      EXPECT_EQ(lost.contains("redfish_verify_ca"), !goes) << verify;
    }
  }
}

}  // namespace
}  // namespace hearth::bootstrap
