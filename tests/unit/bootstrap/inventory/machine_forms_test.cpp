#include "bootstrap/inventory/machine_forms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/text.hpp"
#include "bootstrap/inventory/draft.hpp"
#include "bootstrap/inventory/form_fields.hpp"
#include "tests/unit/bootstrap/inventory/form_examples.hpp"

namespace hearth::bootstrap {
namespace {

std::vector<ListingEntry> machines_of(ListingFormat form, std::string_view text) {
  const auto entries = read_listing(text, "inv", form);
  if (!entries) ADD_FAILURE() << entries.error().text();
  return entries ? *entries : std::vector<ListingEntry>{};
}

const FormExample& example_of(ListingFormat form) {
  for (const FormExample& each : k_form_examples) {
    if (each.form == form) return each;
  }
  throw std::out_of_range("no example");
}

NodeDraft only_draft(ListingFormat form) {
  const Drafts drafts = draft_nodes(machines_of(ListingFormat::any, example_of(form).text));
  EXPECT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "inv");
  return drafts.nodes.at(0);
}

TEST(MachineForms, all_are_known_by_what_is_in_them_and_tell_what_they_leave_out) {
  std::printf("%-12s %-14s %-9s %s\n", "form", "file", "machines", "told as left out");
  for (const FormExample& each : k_form_examples) {
    const auto by_content = read_listing(each.text, each.file);
    ASSERT_TRUE(by_content) << by_content.error().text();
    const Drafts drafts = draft_nodes(*by_content);
    EXPECT_TRUE(drafts.good()) << each.file << "\n" << faults_text(drafts.faults, {}, each.file);
    ASSERT_FALSE(drafts.nodes.empty());
    EXPECT_EQ(drafts.nodes[0].name, "w0");
    ASSERT_FALSE(drafts.nodes[0].ports.empty()) << each.file;
    EXPECT_EQ(drafts.nodes[0].ports[0].address, "52:54:00:00:00:01") << each.file;
    std::set<std::string> left_out;
    for (const ListingEntry& entry : *by_content) left_out.insert(entry.left_out.begin(), entry.left_out.end());
    std::printf("%-12s %-14s %-9zu %s\n", name_of(each.form).c_str(), each.file, drafts.nodes.size(),
                join(std::vector<std::string>(left_out.begin(), left_out.end()), ", ").c_str());
  }
}

TEST(MachineForms, metal3_host_with_its_secret) {
  const NodeDraft node = only_draft(ListingFormat::metal3);
  EXPECT_EQ(node.driver, "redfish");
  EXPECT_EQ(node.info("redfish_address"), "https://192.0.2.5:8443");
  EXPECT_EQ(node.info("redfish_system_id"), "/redfish/v1/Systems/1");
  EXPECT_EQ(node.info("redfish_username"), "admin");
  EXPECT_EQ(node.info("redfish_password"), "password");
  EXPECT_EQ(node.info("redfish_verify_ca"), "false");
  EXPECT_EQ(node.properties["capabilities"], "boot_mode:uefi,secure_boot:true");
  EXPECT_EQ(node.properties["root_device"], Json({{"size", ">= 200"}, {"model", "NVMe"}}));
}

TEST(MachineForms, metal3_addresses) {
  struct Address {
    const char* given;
    const char* made;
  };
  for (const auto& [given, made] :
       {Address{"192.0.2.5", R"({"pm_type":"ipmi","pm_addr":"192.0.2.5"})"},
        Address{"ipmi://[2001:db8::5]:6230", R"({"pm_port":"6230","pm_type":"ipmi","pm_addr":"[2001:db8::5]"})"},
        Address{"libvirt://192.0.2.5:6233/", R"({"pm_port":"6233","pm_type":"ipmi","pm_addr":"192.0.2.5"})"},
        Address{"idrac-virtualmedia+http://h/redfish/v1/Systems/S.1",
                R"({"pm_type":"redfish","pm_addr":"http://h","pm_system_id":"/redfish/v1/Systems/S.1"})"}}) {
    Json made_of = Json::object();
    EXPECT_EQ(take_bmc_address(given, made_of), "");
    EXPECT_EQ(format_json(made_of), made);
  }
  Json none = Json::object();
  EXPECT_EQ(take_bmc_address("redfihs://h/x", none),
            "nothing here manages machines by redfihs://; do you mean redfish://?");
}

TEST(MachineForms, tinkerbell_hardware_with_machine_and_secret) {
  const NodeDraft node = only_draft(ListingFormat::tinkerbell);
  EXPECT_EQ(node.driver, "redfish");
  EXPECT_EQ(node.info("redfish_address"), "192.0.2.5");
  EXPECT_EQ(node.info("redfish_port"), "8443");
  EXPECT_EQ(node.info("redfish_password"), "password");
  EXPECT_EQ(node.info("redfish_verify_ca"), "false");
  EXPECT_EQ(node.properties["root_device"]["name"], "/dev/nvme0n1");
  EXPECT_EQ(node.extra["x_seed"]["ipv4_nameserver"], "192.0.2.2");
}

TEST(MachineForms, tinkerbells_table) {
  const auto rows = machines_of(ListingFormat::any,
                                "hostname,bmc_ip,bmc_username,bmc_password,mac,ip_address,netmask,gateway,nameservers,"
                                "labels,disk\nw0,192.0.2.5,a,\"b,c\",52:54:00:00:00:01,192.0.2.9,255.255.255.0,"
                                "192.0.2.1,192.0.2.2,type=cp,/dev/sda\nw1,,,,52:54:00:00:00:02,192.0.2.10,,,,,\n");
  const Drafts drafts = draft_nodes(rows);
  EXPECT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "inv");
  EXPECT_EQ(drafts.nodes[0].info("ipmi_password"), "b,c");
  EXPECT_EQ(drafts.nodes[0].properties["root_device"]["name"], "/dev/sda");
  EXPECT_EQ(drafts.nodes[1].driver, "manual-management");
}

TEST(MachineForms, maas_machines) {
  const NodeDraft node = only_draft(ListingFormat::maas);
  EXPECT_EQ(node.info("ipmi_protocol_version"), "1.5");
  EXPECT_EQ(node.info("ipmi_priv_level"), "OPERATOR");
  EXPECT_EQ(node.properties["cpu_arch"], "x86_64");
  EXPECT_EQ(node.properties["local_gb"], 512);
  EXPECT_EQ(node.ports.size(), 2U);
  const Drafts without =
      draft_nodes(machines_of(ListingFormat::any, R"([{"hostname": "w0", "system_id": "a", "power_type": "ipmi"}])"));
  EXPECT_NE(faults_text(without.faults, {}, "inv").find("maas PROFILE machines power-parameters"), std::string::npos);
  const Drafts untold =
      draft_nodes(machines_of(ListingFormat::any, R"([{"hostname": "w0", "system_id": "a", "power_type": ""}])"));
  ASSERT_EQ(untold.faults.size(), 1U) << "in MAAS' own word, once";
  EXPECT_TRUE(untold.faults[0].text.starts_with("power_type is empty: ")) << untold.faults[0].text;
}

/// What a draft becomes, or its faults.
std::string maas_fate(const std::string& type, const std::string& power, const char* key) {
  const std::string text = cat(R"([{"hostname": "w0", "system_id": "a", "power_type": ")", type,
                               R"(", "boot_interface": {"mac_address": "52:54:00:00:00:01"},
 "power_parameters": {"power_address": "192.0.2.5", )",
                               power, "}}]");
  const Drafts drafts = draft_nodes(machines_of(ListingFormat::any, text));
  return drafts.good() ? drafts.nodes.at(0).info(key) : faults_text(drafts.faults, {}, "inv");
}

TEST(MachineForms, the_key_of_a_bmc_as_maas_prints_it) {
  EXPECT_EQ(maas_fate("ipmi", R"("k_g": "")", "ipmi_hex_kg_key"), "") << "of each IPMI machine, mostly";
  EXPECT_EQ(maas_fate("ipmi", R"("k_g": "a1")", "ipmi_hex_kg_key"), "6131");
  EXPECT_EQ(maas_fate("ipmi", R"("k_g": "0xDEAD00")", "ipmi_hex_kg_key"), "dead00");
  const std::string wrong = maas_fate("ipmi", R"("k_g": "0xhush")", "ipmi_hex_kg_key");
  EXPECT_TRUE(wrong.starts_with("inv:2:")) << wrong;
  EXPECT_NE(wrong.find("power_parameters.k_g is no key of a BMC: 20 bytes at most"), std::string::npos) << wrong;
  EXPECT_EQ(wrong.find("hush"), std::string::npos) << "a secret";
}

TEST(MachineForms, a_password_of_libvirts_is_refused_in_maas_word) {
  const std::string said = maas_fate("virsh", R"("power_pass": "x")", "");
  EXPECT_NE(said.find("power_parameters.power_pass: libvirt is reached here by SSH"), std::string::npos) << said;
  EXPECT_EQ(said.find("pm_password"), std::string::npos) << said;
  EXPECT_EQ(maas_fate("virsh", R"("power_pass": "", "power_id": "vm1")", "libvirt_domain"), "vm1");
}

TEST(MachineForms, a_bare_list_of_objects_is_read_as_a_list_of_theirs) {
  const std::string hardware =
      "apiVersion: tinkerbell.org/v1alpha1\n  kind: Hardware\n  metadata: {name: NAME, namespace: default}\n"
      "  spec:\n    interfaces:\n    - dhcp: {mac: \"MAC\", hostname: NAME, name_servers: [192.0.2.2], lease_time: "
      "86400}\n"
      "      netboot: {allowPXE: true, ipxe: {url: \"https://boot.example\"}}\n";
  const auto named = [&](const char* name, const char* mac) {
    return cat("- ", replace_all(replace_all(hardware, "NAME", name), "MAC", mac));
  };
  const std::string text = named("pxe-a", "52:54:00:00:00:01") + named("pxe-b", "52:54:00:00:00:02");
  for (const ListingFormat format : {ListingFormat::any, ListingFormat::tinkerbell}) {
    const Drafts drafts = draft_nodes(machines_of(format, text));
    ASSERT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "inv");
    ASSERT_EQ(drafts.nodes.size(), 2U);
    EXPECT_EQ(drafts.nodes[1].name, "pxe-b");
    EXPECT_EQ(drafts.nodes[1].ports.at(0).address, "52:54:00:00:00:02");
  }
}

TEST(MachineForms, openchami_nodes_of_one_bmc_lose_its_address_till_somebody_tells_them_apart) {
  const Drafts drafts = draft_nodes(machines_of(ListingFormat::any,
                                                "bmcs:\n- {name: b1, xname: x1c0s7b0, ip: 192.0.2.7}\n"
                                                "- {name: b2, xname: x1c0s8b0, ip: 192.0.2.8}\nnodes:\n"
                                                "- {name: n0, xname: x1c0s7b0n0, bmc: b1, interfaces: [{mac_addr: "
                                                "'52:54:00:00:00:01'}]}\n"
                                                "- {name: n1, xname: x1c0s7b0n1, bmc: b1, interfaces: [{mac_addr: "
                                                "'52:54:00:00:00:02'}]}\n"
                                                "- {name: n2, xname: x1c0s8b0n0, bmc: b2, interfaces: [{mac_addr: "
                                                "'52:54:00:00:00:03'}]}\n"));
  ASSERT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "inv");
  EXPECT_EQ(drafts.nodes.at(0).shared_bmc, "192.0.2.7");
  EXPECT_EQ(drafts.nodes[0].info("redfish_address"), "") << "an order to it would reach the other";
  EXPECT_EQ(drafts.nodes[1].shared_bmc, "192.0.2.7");
  EXPECT_EQ(drafts.nodes[2].shared_bmc, "");
  EXPECT_EQ(drafts.nodes[2].info("redfish_address"), "192.0.2.8");
  const std::string said = join(drafts.warnings, "\n");
  EXPECT_NE(said.find("node #1 (n1), line 6: 2 entries have the BMC 192.0.2.7, and no redfish_system_id tells whose "
                      "machine is whose: each stays in enroll, without the address"),
            std::string::npos)
      << said;
}

TEST(MachineForms, bifrosts_virtual_machines_of_one_host_are_taken_and_those_behind_bridges_told_apart) {
  const auto rows = [](const char* first, const char* second) {
    return draft_nodes(machines_of(
        ListingFormat::any,
        cat("52:54:00:00:00:01,root,undefined,192.0.2.1,1,8192,512,Control,VM,,h0,192.0.2.20,", first, ",,,ipmi\n",
            "52:54:00:00:00:02,root,undefined,192.0.2.1,1,8192,512,Compute,VM,,h1,192.0.2.21,", second, ",,\n")));
  };
  const Drafts alike = rows(",", ",");
  ASSERT_TRUE(alike.good()) << faults_text(alike.faults, {}, "inv");
  EXPECT_EQ(alike.nodes.at(1).shared_bmc, "192.0.2.1");
  EXPECT_EQ(alike.nodes[1].info("ipmi_address"), "");
  EXPECT_NE(join(alike.warnings, "\n").find("no ipmi_port tells whose machine is whose"), std::string::npos)
      << join(alike.warnings, "\n");
  const Drafts bridged = rows("7,0x72", "7,0x74");
  ASSERT_TRUE(bridged.good()) << faults_text(bridged.faults, {}, "inv");
  EXPECT_EQ(bridged.nodes.at(1).shared_bmc, "");
  EXPECT_EQ(bridged.nodes[1].management_id, "192.0.2.1;7.0x74");
}

TEST(MachineForms, netbox_rows_of_switches_are_left_out_by_name) {
  const std::string head = "Name,Status,Role,Type,OOB IP,MAC Address\n";
  const std::string leaf = "leaf1,Planned,Leaf switch,N9K,,\n";
  const Drafts drafts = draft_nodes(
      machines_of(ListingFormat::any,
                  cat(head, leaf, "w0,Planned,Compute,R650,192.0.2.5/24,52:54:00:00:00:01\npdu1,Planned,,,,\n")));
  ASSERT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "inv");
  ASSERT_EQ(drafts.nodes.size(), 1U);
  EXPECT_EQ(drafts.nodes[0].name, "w0");
  const std::string said = join(drafts.warnings, "\n");
  EXPECT_NE(said.find("device leaf1 (Leaf switch, N9K; neither MAC nor out-of-band address)"), std::string::npos)
      << said;
  EXPECT_NE(said.find("device pdu1 (neither MAC"), std::string::npos) << said;
  const auto none = read_listing(cat(head, leaf), "inv");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text().find("no device of this export is a machine: "), std::string::npos)
      << none.error().text();
}

TEST(MachineForms, a_makers_own_protocol_is_refused_once_in_the_files_word) {
  for (const char* scheme : {"ilo4", "irmc", "idrac"}) {
    const Drafts drafts = draft_nodes(machines_of(
        ListingFormat::metal3,
        cat("kind: BareMetalHost\nmetadata: {name: w0}\nspec:\n  bmc: {address: \"", scheme, "://192.0.2.5\"}\n")));
    EXPECT_EQ(faults_text(drafts.faults, {}, "inv"),
              cat("inv:4:18: node #0: ", scheme,
                  ":// is its maker's own protocol, which nothing here speaks: where that "
                  "BMC has Redfish or IPMI, put redfish://HOST/redfish/v1/Systems/ID or ipmi://HOST"));
  }
}

TEST(MachineForms, a_variable_that_an_expression_uses_is_not_left_out) {
  const auto hosts =
      machines_of(ListingFormat::ini,
                  "w0 mac=52:54:00:00:00:01 ironic_driver=redfish ironic_redfish_address=192.0.2.5 "
                  "ironic_redfish_foo=1 ironic_driver_info=\"{'redfish_address': '{{ ironic_redfish_address "
                  "}}'}\"\n");
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(hosts.at(0).left_out, [&](const std::string& one) { return one.starts_with(name); });
  };
  EXPECT_FALSE(has("ironic_redfish_address"));
  EXPECT_TRUE(has("ironic_redfish_foo"));
  EXPECT_EQ(hosts[0].data["redfish_address"], "192.0.2.5");
}

TEST(MachineForms, what_says_that_a_machine_is_in_use) {
  EXPECT_EQ(only_draft(ListingFormat::maas).in_use, "status_name Deployed");
  const auto mistyped =
      read_listing(R"([{"system_id": "a", "hostname": "h", "status_name": "Redy", "power_type": "manual",
      "boot_interface": {"mac_address": "52:54:00:00:00:01"}}])",
                   "m.json", ListingFormat::any);
  ASSERT_TRUE(mistyped) << mistyped.error().text();
  EXPECT_EQ(draft_nodes(*mistyped).nodes.at(0).in_use, "status_name Redy (do you mean Ready?)");
  EXPECT_EQ(only_draft(ListingFormat::metal3).in_use, "spec.externallyProvisioned");
  const std::string spec =
      "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: w0}\n"
      "spec: {bootMACAddress: \"52:54:00:00:00:01\"}\n";
  for (const auto& [state, said] :
       {std::pair{"available", ""}, std::pair{"provisioned", "status.provisioning.state provisioned"},
        std::pair{"externally provisioned", "status.provisioning.state externally provisioned"}}) {
    const Drafts drafts =
        draft_nodes(machines_of(ListingFormat::metal3, cat(spec, "status: {provisioning: {state: ", state, "}}\n")));
    ASSERT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "inv");
    EXPECT_EQ(drafts.nodes.at(0).in_use, said);
  }
}

TEST(MachineForms, warewulf_nodes_lie_on_their_profiles) {
  const NodeDraft node = only_draft(ListingFormat::warewulf);
  EXPECT_EQ(node.info("ipmi_address"), "192.0.2.5");
  EXPECT_EQ(node.info("ipmi_username"), "admin");
  EXPECT_EQ(node.info("ipmi_port"), "6230");
  EXPECT_EQ(node.info("ipmi_protocol_version"), "1.5");
  EXPECT_EQ(node.ports.at(1).address, "52:54:00:00:00:02");
  EXPECT_EQ(node.extra["x_seed"]["ipv4_gateway"], "192.0.2.1");
}

TEST(MachineForms, warewulf_profiles_that_name_each_other_count_once) {
  std::string all;
  for (int i = 0; i < 12; ++i) all += cat(i == 0 ? "" : ", ", "p", i);
  std::string text = "nodeprofiles:\n";
  for (int i = 0; i < 12; ++i) text += cat("  p", i, ": {profiles: [", all, "], comment: c", i, "}\n");
  const auto nodes = read_listing(text + "nodes: {w0: {profiles: [p0, p1]}}\n", "inv", ListingFormat::warewulf);
  ASSERT_TRUE(nodes) << nodes.error().text();
  EXPECT_EQ(nodes->at(0).data["description"], "c0");
}

TEST(MachineForms, openchami_nodes_in_both_forms) {
  EXPECT_EQ(only_draft(ListingFormat::openchami).info("redfish_address"), "192.0.2.6");
  const auto old = machines_of(ListingFormat::any,
                               "nodes:\n- name: nid1\n  xname: x1c0s1b0n0\n  group: compute\n  bmc_ip: 192.0.2.7\n"
                               "  interfaces: [{mac_addr: 52:54:00:00:00:01}]\n");
  EXPECT_EQ(old.at(0).data["pm_addr"], "192.0.2.7");
  EXPECT_EQ(old.at(0).data["extra"]["groups"], "compute");
}

TEST(MachineForms, kayobes_hosts_with_variables_of_their_groups) {
  const Drafts drafts = draft_nodes(machines_of(ListingFormat::any, example_of(ListingFormat::ansible).text));
  ASSERT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "inv");
  ASSERT_EQ(drafts.nodes.size(), 3U);
  EXPECT_EQ(drafts.nodes[0].driver, "redfish");
  EXPECT_EQ(drafts.nodes[0].info("redfish_address"), "192.0.2.5");
  EXPECT_EQ(drafts.nodes[0].info("redfish_username"), "admin");
  EXPECT_EQ(drafts.nodes[0].info("redfish_password"), "pass word");
  EXPECT_EQ(drafts.nodes[0].properties["capabilities"], "boot_mode:uefi");
  EXPECT_EQ(drafts.nodes[1].info("redfish_port"), "8443");
  EXPECT_EQ(drafts.nodes[2].info("ipmi_port"), "6230");
}

TEST(MachineForms, what_stands_beside_a_driver_that_ansible_names_counts) {
  const Drafts drafts = draft_nodes(
      machines_of(ListingFormat::ansible,
                  "k1 ironic_driver=redfish redfish_address=192.0.2.61 redfish_username=u mac=52:54:00:00:00:61\n"));
  ASSERT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "f");
  EXPECT_EQ(drafts.nodes.at(0).driver_info["redfish_address"], "192.0.2.61");
  EXPECT_EQ(drafts.nodes.at(0).driver_info["redfish_username"], "u");
}

TEST(MachineForms, an_expression_that_is_no_variable_is_refused) {
  const Drafts drafts = draft_nodes(machines_of(
      ListingFormat::ansible,
      "all:\n  hosts:\n    w0:\n      mac: 52:54:00:00:00:01\n      ipmi_address: \"{{ lookup('x') }}\"\n"));
  EXPECT_NE(faults_text(drafts.faults, {}, "inv").find("inv:5:"), std::string::npos)
      << faults_text(drafts.faults, {}, "inv");
}

TEST(MachineForms, what_is_no_value_yet_is_refused_without_showing_a_secret) {
  for (const auto& [password, fault] : {std::pair{"\"hush{{ x }}\"", "the value is an expression"},
                                        std::pair{"\"{% raw %}hush\"", "the value is an expression"},
                                        std::pair{"$ANSIBLE_VAULT;1.1;AES256", "is encrypted by ansible-vault"},
                                        std::pair{"{__ansible_vault: hush}", "is encrypted by ansible-vault"}}) {
    const Drafts drafts = draft_nodes(
        machines_of(ListingFormat::ansible, cat("all:\n  hosts:\n    w0:\n      mac: 52:54:00:00:00:01\n      "
                                                "ipmi_address: 192.0.2.5\n      ipmi_password: ",
                                                password, "\n")));
    const std::string said = faults_text(drafts.faults, {}, "inv");
    EXPECT_NE(said.find(fault), std::string::npos) << said;
    EXPECT_NE(said.find("inv:6:"), std::string::npos) << said;
    EXPECT_EQ(said.find("hush"), std::string::npos) << said;
  }
}

TEST(MachineForms, netbox_rows_with_custom_fields_of_ours) {
  const NodeDraft node = only_draft(ListingFormat::netbox);
  EXPECT_EQ(node.driver, "redfish");
  EXPECT_EQ(node.info("redfish_address"), "192.0.2.5");
  EXPECT_EQ(node.info("redfish_username"), "admin");
  EXPECT_EQ(node.extra["x_seed"]["ipv4_address"], "192.0.2.9");
  EXPECT_EQ(node.extra["serial"], "ABC123");
}

/// Without the lines that hold the field's last word, something else comes out: the form's code reads it.
TEST(MachineForms, each_field_that_a_forms_code_reads_makes_a_difference) {
  for (const FormExample& each : k_form_examples) {
    const auto whole = read_listing(each.text, "inv", each.form).value();
    for (const FormField& field : form_fields(each.form)) {
      if (field.own != k_by_form) continue;
      std::string word = split(replace_all(std::string(field.path), "[]", ""), '.').back();
      std::string text = each.text;
      if (each.form == ListingFormat::netbox) {
        word = word == "oob_ip"        ? "OOB IP"
               : word == "primary_ip4" ? "Primary IP4"
               : word == "primary_ip"  ? "Primary IP,"
                                       : "IP Address";
      }
      const std::size_t at = text.find(word);
      ASSERT_NE(at, std::string::npos) << name_of(each.form) << " " << field.path;
      for (std::size_t i = text.find(word); i != std::string::npos; i = text.find(word, i + word.size() + 1))
        text.insert(i, "x_");
      const auto changed = read_listing(text, "inv", each.form);
      bool differs = !changed || changed->size() != whole.size();
      for (std::size_t i = 0; !differs && i < whole.size(); ++i) {
        Json left = (*changed)[i].data;
        differs = left != whole[i].data || (*changed)[i].faults != whole[i].faults ||
                  (*changed)[i].left_out != whole[i].left_out || (*changed)[i].in_use != whole[i].in_use;
      }
      EXPECT_TRUE(differs) << name_of(each.form) << " " << field.path;
    }
  }
}

TEST(MachineForms, an_unknown_field_is_refused_by_name_at_its_place) {
  std::string text = example_of(ListingFormat::metal3).text;
  text = replace_all(text, "  bootMode:", "  bootMoode:");
  const Drafts drafts = draft_nodes(machines_of(ListingFormat::any, text));
  EXPECT_EQ(faults_text(drafts.faults, {}, "inv"),
            "inv:14:14: node #0: Unknown field spec.bootMoode (do you mean spec.bootMode?)");
}

TEST(MachineForms, what_a_file_names_and_lacks_is_told) {
  const std::string text = replace_all(example_of(ListingFormat::metal3).text, "{name: w0-secret}", "{name: other}");
  EXPECT_EQ(faults_text(draft_nodes(machines_of(ListingFormat::any, text)).faults, {}, "inv"),
            "inv:23:22: node #0: there is no Secret w0-secret in this file; put it beside");
}

TEST(MachineForms, a_secret_is_the_one_of_the_hosts_namespace) {
  const auto both = [](ListingFormat form, const std::string& text) {
    std::string file;
    int number = 0;
    for (const char* space : {"a", "b"}) {
      const std::string own = replace_all(text, "SPACE", space);
      file += replace_all(own, "NUMBER", cat(++number));
    }
    return machines_of(form, file);
  };
  const std::string secret =
      "---\nkind: Secret\nmetadata: {name: bmc, namespace: SPACE}\nstringData: {username: u, password: of-SPACE}\n";
  const auto hosts =
      both(ListingFormat::metal3,
           secret +
               "---\nkind: BareMetalHost\nmetadata: {name: wNUMBER, namespace: SPACE}\nspec: {bmc: {address: "
               "\"ipmi://192.0.2.NUMBER\", credentialsName: bmc}}\n");
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].data["pm_password"], "of-a");
  EXPECT_EQ(hosts[1].data["pm_password"], "of-b");
  const auto hardware =
      both(ListingFormat::tinkerbell,
           secret +
               "---\nkind: Machine\nmetadata: {name: m, namespace: SPACE}\nspec: {connection: {host: 192.0.2.NUMBER, "
               "authSecretRef: {name: bmc, namespace: SPACE}}}\n"
               "---\nkind: Hardware\nmetadata: {name: wNUMBER, namespace: SPACE}\nspec: {bmcRef: {name: m}}\n");
  ASSERT_EQ(hardware.size(), 2U);
  EXPECT_EQ(hardware[1].data["pm_addr"], "192.0.2.2");
  EXPECT_EQ(hardware[1].data["pm_password"], "of-b");

  const std::string host =
      "---\nkind: BareMetalHost\nmetadata: {name: wNUMBER}\nspec: {bmc: {address: "
      "\"ipmi://192.0.2.NUMBER\", credentialsName: bmc}}\n";
  const auto unclear = both(ListingFormat::metal3, secret + host);
  ASSERT_EQ(unclear[0].faults.size(), 1U);
  EXPECT_EQ(unclear[0].faults[0].second,
            "there is a Secret bmc in several namespaces: say in metadata.namespace which is this machine's");
  EXPECT_EQ(machines_of(ListingFormat::metal3, secret + host).at(0).data["pm_password"], "of-SPACE");
  const auto other = machines_of(ListingFormat::metal3, secret + replace_all(host, "wNUMBER", "w, namespace: c"));
  ASSERT_EQ(other.at(0).faults.size(), 1U);
  EXPECT_EQ(other[0].faults[0].second, "there is no Secret c/bmc in this file; put it beside");
}

TEST(MachineForms, warewulf_profiles_that_go_too_deep_are_a_fault) {
  std::string text = "nodes: {w0: {profiles: [p0]}}\nnodeprofiles:\n";
  for (int i = 0; i < 60; ++i) text += cat("  p", i, ": {profiles: [p", i + 1, "]}\n");
  const auto nodes = machines_of(ListingFormat::warewulf, text);
  ASSERT_EQ(nodes.at(0).faults.size(), 1U);
  EXPECT_EQ(nodes[0].faults[0].second, "its profiles name each other more than 50 deep");
}

}  // namespace
}  // namespace hearth::bootstrap
