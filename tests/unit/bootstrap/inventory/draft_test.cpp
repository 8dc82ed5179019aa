#include "bootstrap/inventory/draft.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

Drafts drafts_of(const char* text, ListingFormat format = ListingFormat::json) {
  return draft_nodes(read_listing(text, "inv", format).value());
}

TEST(Draft, everyFieldGoesToItsPlace) {
  const Drafts drafts = drafts_of(
      R"([{"pm_type": "pxe_ipmitool", "pm_addr": "192.0.2.5", "pm_user": "u", "pm_password": "p", "pm_port": 6230,
           "ipmi_cipher_suite": "3", "mac": ["AA-BB-CC-DD-EE-F0"], "arch": "x86_64", "cpu": "4", "memory": "8192", "disk": 40,
           "capabilities": {"boot_mode": "uefi", "a": 1, "gone": null}, "profile": "compute", "kernel_id": "k", "ramdisk_id": "r",
           "root_device": {"serial": "S"}, "platform": "SNB", "resource_class": "gold", "x_seed": {"rack": "1"}, "name": "n1"}])");
  ASSERT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "inv");
  const NodeDraft& node = drafts.nodes.at(0);
  EXPECT_EQ(node.driver, "ipmi");
  EXPECT_EQ(node.driver_info, Json::parse(R"({"ipmi_address": "192.0.2.5", "ipmi_username": "u", "ipmi_password": "p",
    "ipmi_port": 6230, "ipmi_cipher_suite": "3", "deploy_kernel": "k", "rescue_kernel": "k", "deploy_ramdisk": "r",
    "rescue_ramdisk": "r"})"));
  EXPECT_EQ(node.properties, Json::parse(R"({"cpu_arch": "x86_64", "cpus": 4, "memory_mb": 8192, "local_gb": 40,
    "root_device": {"serial": "S"}, "capabilities": "a:1,boot_mode:uefi,profile:compute"})"));
  EXPECT_EQ(node.extra["tripleo_platform"], "SNB");
  EXPECT_EQ(node.extra["x_seed"]["rack"], "1");
  EXPECT_EQ(node.fields["resource_class"], "gold");
  EXPECT_EQ(node.ports.at(0).address, "aa:bb:cc:dd:ee:f0");
  EXPECT_EQ(node.ports.at(0).physical_network, "ctlplane");
  EXPECT_EQ(node.management_id, "192.0.2.5:6230");
  EXPECT_EQ(drafts.warnings.size(), 2U);
}

TEST(Draft, aBmcWithAUserAndNoPasswordIsToldOf) {
  const Drafts drafts = drafts_of(
      R"([{"pm_type": "ipmi", "pm_addr": "192.0.2.5", "pm_user": "u", "mac": ["52:54:00:00:00:01"], "name": "a"},
          {"pm_type": "ipmi", "pm_addr": "192.0.2.6", "pm_user": "u", "pm_password": "p", "mac": ["52:54:00:00:00:02"]},
          {"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:03"]}])");
  EXPECT_EQ(missing_passwords(drafts.nodes),
            std::vector<std::string>{"node #0 (a): its BMC has a user and no password; is a cell empty?"});
  EXPECT_TRUE(missing_passwords({}).empty());
}

TEST(Draft, aBmcOfIpmiWithNeitherUserNorPasswordIsToldOf) {
  const Drafts drafts = drafts_of(
      R"([{"pm_type": "ipmi", "pm_addr": "192.0.2.5", "mac": ["52:54:00:00:00:01"], "name": "a"},
          {"pm_type": "redfish", "pm_addr": "192.0.2.6", "pm_system_id": "1", "mac": ["52:54:00:00:00:02"]},
          {"pm_type": "manual-management", "mac": ["52:54:00:00:00:03"]}])");
  EXPECT_EQ(missing_passwords(drafts.nodes),
            std::vector<std::string>{
                "node #0 (a): its BMC has neither user nor password, and few take that; is a column missing?"});
}

TEST(Draft, capabilitiesThatAreNearThoseThatAreReadAreToldOf) {
  const Drafts drafts = drafts_of(
      R"([{"pm_type": "manual-management", "mac": ["52:54:00:00:00:01"], "capabilities": "boot_mod:bios,gpu:2"},
          {"pm_type": "manual-management", "mac": ["52:54:00:00:00:02"], "capabilities": {"boot_mode": "ufei"}},
          {"pm_type": "manual-management", "mac": ["52:54:00:00:00:03"], "capabilities": "boot_mode:uefi,profile:compute"}])");
  ASSERT_EQ(drafts.warnings.size(), 2U) << join(drafts.warnings, "; ");
  EXPECT_NE(drafts.warnings[0].find("boot_mod; did you mean boot_mode?"), std::string::npos) << drafts.warnings[0];
  EXPECT_NE(drafts.warnings[1].find("did you mean uefi?"), std::string::npos) << drafts.warnings[1];
}

TEST(Draft, capabilitiesWrittenAsPairsAreToldAsTheyAreMeant) {
  const Drafts drafts =
      drafts_of(R"([{"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:01"], "capabilities": "boot_mode=uefi,a=b"}])");
  EXPECT_NE(faults_text(drafts.faults, {}, "inv")
                .find("Invalid capabilities: boot_mode=uefi,a=b (do you mean boot_mode:uefi,a:b?)"),
            std::string::npos);
}

TEST(Draft, faultsAcrossEntriesNameBothAndThePlace) {
  const Drafts drafts = drafts_of(
      "nodes:\n- {pm_type: fake_pxe, mac: '52:54:00:00:00:01', name: a}\n- {pm_type: fake_pxe, mac: "
      "'52:54:00:00:00:01', name: a}\n"
      "- {pm_type: ipmi, pm_addr: h}\n- {pm_type: ipmi, pm_addr: h}\n",
      ListingFormat::yaml);
  EXPECT_EQ(faults_text(drafts.faults, {}, "inv.yaml"),
            "inv.yaml:3:28: node #1: MAC 52:54:00:00:00:01 is not unique (node #0 (a) has it, too)\n"
            "inv.yaml:3:55: node #1: Name \"a\" is not unique (node #0 (a), line 2 has it, too)\n"
            "inv.yaml:5:28: node #3: Node identified by h is already present: node #2, line 4 (one BMC, two nodes; "
            "ports of one address are told apart by pm_port)");
}

TEST(Draft, bmcsBehindOneForwardedAddressAreToldApartByTheirPorts) {
  const Drafts drafts = drafts_of(
      "nodes:\n- {name: a, pm_type: idrac, pm_addr: 'http://127.0.0.1:8204', pm_user: u, pm_password: p}\n"
      "- {name: b, pm_type: idrac, pm_addr: 'http://127.0.0.1:8205', pm_user: u, pm_password: p}\n"
      "- {name: c, pm_type: ipmi, pm_addr: 127.0.0.1, pm_port: 9301, pm_user: u, pm_password: p}\n"
      "- {name: d, pm_type: ipmi, pm_addr: '127.0.0.1:9302', pm_user: u, pm_password: p}\n",
      ListingFormat::yaml);
  EXPECT_EQ(faults_text(drafts.faults, {}, "inv.yaml"),
            "inv.yaml:5:37: node #3: pm_addr 127.0.0.1:9302: an address alone is expected; its port is pm_port (a site "
            "file: bmc.port)");
}

TEST(Draft, namesThatDifferByCaseOnlyAreOne) {
  const Drafts drafts = drafts_of(
      "- {name: cmp-a1, pm_type: fake_pxe, mac: '52:54:00:00:00:01'}\n"
      "- {name: CMP-A1, pm_type: fake_pxe, mac: '52:54:00:00:00:02'}\n",
      ListingFormat::yaml);
  ASSERT_EQ(drafts.faults.size(), 1U) << "a host's name has no case";
  EXPECT_EQ(drafts.faults[0].text, "Name \"CMP-A1\" is not unique (node #0 (cmp-a1), line 1 has it, too)");
}

TEST(Draft, WhereOnlyOneOfTwoOfABmcSaysItsSystemItMayBeOneMachine) {
  const auto told = [](const char* first, const char* second) {
    const std::string text = cat("- {name: a, pm_type: redfish, pm_addr: 'http://h:8000', ", first,
                                 "mac: '52:54:00:00:00:01'}\n- {name: b, pm_type: redfish, pm_addr: 'http://h:8000', ",
                                 second, "mac: '52:54:00:00:00:02'}\n");
    return faults_text(drafts_of(text.c_str(), ListingFormat::yaml).faults, {}, "f");
  };
  const char* const lacking =
      " does not say which of its systems is meant: give it pm_system_id (a site file: bmc.system)";
  EXPECT_EQ(told("", "pm_system_id: /1, "),
            cat("f:2:40: node #1: the BMC h:8000 is that of node #0 (a), too, and that one", lacking));
  EXPECT_EQ(told("pm_system_id: /1, ", ""),
            cat("f:2:40: node #1: the BMC h:8000 is that of node #0 (a), too, and this entry", lacking));
  EXPECT_EQ(told("pm_system_id: /1, ", "pm_system_id: /2, "), "") << "a BMC of several machines";
}

std::string told_of(std::string_view text) {
  const auto entries = read_listing(text, "t", ListingFormat::any);
  if (!entries) return entries.error().text();
  const Drafts drafts = draft_nodes(*entries);
  return cat(faults_text(drafts.faults, *entries, "t"), drafts.warnings.empty() ? "" : "\n! ",
             join(drafts.warnings, "\n! "));
}

TEST(Draft, headingsOfNobodyAreToldOnceWhereTheyStandAndMachinesByTheirNames) {
  EXPECT_EQ(
      told_of("Name;Site;U;BMC IP;oob_ip\nsrv1;x;3;198.51.100.1;198.51.100.1\nsrv2;x;4;198.51.100.2;198.51.100.2\n"
              "srv3;x;5;;198.51.100.999\nsrv4;x;5;;198.51.100.1\n"),
      "t:1:1: these headings were taken for netbox's; a table of your own has pm_type, pm_addr, pm_user, pm_password, "
      "mac, name, and rack and slot (hearth help inventories)\n"
      "t:1:11: Unknown heading \"U\"\n"
      "t:1:13: Unknown heading \"BMC IP\"\n"
      "t:4:11: node #2 (srv3): pm_addr 198.51.100.999 is no address: four numbers up to 255\n"
      "t:5:11: node #3 (srv4): Node identified by 198.51.100.1 is already present: node #0 (srv1), line 2 (one BMC, "
      "two nodes; "
      "ports of one address are told apart by pm_port)\n"
      "! left out, as nothing here uses it: site\n"
      "! node #0 (srv1), line 2: no MAC address: whatever boots from the network is not known to be this machine\n"
      "! node #1 (srv2), line 3: no MAC address: whatever boots from the network is not known to be this machine\n"
      "! node #2 (srv3), line 4: no MAC address: whatever boots from the network is not known to be this machine\n"
      "! node #3 (srv4), line 5: no MAC address: whatever boots from the network is not known to be this machine");
}

TEST(Draft, TwoMachinesInOnePlaceAreToldOf) {
  const auto told = [](const char* second) {
    const std::string text =
        cat("- {name: a, pm_type: fake_pxe, mac: '52:54:00:00:00:01', x_seed: {rack: C, slot: 10}}\n"
            "- {name: b, pm_type: fake_pxe, mac: '52:54:00:00:00:02', x_seed: ",
            second, "}\n");
    return join(shared_places(read_listing(text, "t", ListingFormat::yaml).value()), "\n");
  };
  EXPECT_EQ(told("{rack: C, slot: '10'}"), "node #1 (b), line 2: it stands where node #0 (a) does: rack C, slot 10");
  EXPECT_EQ(told("{rack: C, slot: 11}"), "");
  EXPECT_EQ(told("{rack: C}"), "") << "nobody knows where in the rack";
  EXPECT_EQ(told("{location: hall 2, rack: C, slot: 10}"), "") << "another hall";
  EXPECT_NE(told_of("name,pm_type,mac,rack,slot\na,fake_pxe,52:54:00:00:00:01,C,10\n"
                    "b,fake_pxe,52:54:00:00:00:02,C,10\n")
                .find("! node #1 (b), line 3: it stands where node #0 (a) does"),
            std::string::npos);
}

TEST(Draft, ARowWithoutANameIsToldOf) {
  EXPECT_NE(told_of("name,pm_type,mac\na,FAKE_PXE,52:54:00:00:00:01\n,fake_pxe,52:54:00:00:00:02\n")
                .find("! node #1, line 3: no name"),
            std::string::npos);
}

TEST(Draft, ATableWithoutAColumnIsToldOfOnceForAllItsRows) {
  std::string table = "name,pm_type,pm_addr\n";
  for (int i = 1; i <= 40; ++i) table += cat("m", i, ",redfish,192.0.2.", i, "\n");
  EXPECT_EQ(told_of(table),
            "\n! node #0 (m1), node #1 (m2), node #2 (m3), node #3 (m4) and 36 more: no MAC address: whatever boots "
            "from the network is not known to be this machine");
}

TEST(Draft, ATableMayHaveTabsBetweenItsColumns) {
  EXPECT_EQ(told_of("name\tpm_type\tmac\tpm_addr\r\na\tredfish\t52:54:00:00:00:01\t192.0.2.1\r\n"
                    "b\tmanual-management\t52:54:00:00:00:02\t\r\n"),
            "");
}

TEST(Draft, aNetboxRackAndPositionAreWhereAMachineStands) {
  const auto entries =
      read_listing("name,site,rack,position,oob_ip\nsrv1,x,R1,12.0,198.51.100.1\n", "n", ListingFormat::csv);
  ASSERT_TRUE(entries);
  EXPECT_EQ(draft_nodes(*entries).nodes.at(0).extra["x_seed"], Json::parse(R"({"rack": "R1", "slot": "12"})"));
}

TEST(Draft, whatLacksIsNamedInTheWordsOfTheForm) {
  EXPECT_EQ(told_of("{\"m\": {\"driver\": \"redfish\",\n\"driver_info\": {\n\"redfish_adress\": \"h\"},\n"
                    "\"nics\": [{\"mac\": \"52:54:00:00:00:01\"}]}}"),
            "t:1:18: node #0 (m): The following fields are missing: redfish_address (is it meant by redfish_adress?)\n"
            "! node #0 (m), line 3: the driver redfish reads no redfish_adress; did you mean redfish_address?");
  EXPECT_EQ(told_of("{\"m\": {\"driver\": \"ipmi\",\n\"driver_info\": {\"ipmi_address\": \"h\",\n"
                    "\"redfish_address\": \"h\"}}}"),
            "t:3:20: node #0 (m): Unknown field redfish_address (the driver redfish has it; this machine's is ipmi)\n"
            "! node #0 (m), line 1: no MAC address: whatever boots from the network is not known to be this machine");
}

TEST(Draft, anUnsupportedDriverBecomesManualAndSaysSo) {
  const Drafts drafts = drafts_of(R"([{"pm_type": "staging-amt", "mac": ["52:54:00:00:00:01"]}])");
  EXPECT_EQ(drafts.nodes.at(0).driver, "manual-management");
  EXPECT_NE(drafts.warnings.at(0).find("switched by hand"), std::string::npos);
}

TEST(Draft, bmcsOfOneMakerAreManaged) {
  for (const auto& [type, driver, key] :
       std::vector<std::tuple<std::string, std::string, std::string>>{{"idrac", "idrac", "drac_address"},
                                                                      {"pxe_drac", "idrac", "drac_address"},
                                                                      {"pxe_ilo", "ilo", "ilo_address"},
                                                                      {"irmc", "irmc", "irmc_address"},
                                                                      {"xclarity", "xclarity", "xclarity_address"}}) {
    const std::string text =
        replace_all(R"([{"pm_type": "TYPE", "pm_addr": "h", "pm_user": "u", "pm_password": "p"}])", "TYPE", type);
    const Drafts drafts = drafts_of(text.c_str());
    ASSERT_EQ(drafts.nodes.size(), 1U) << type;
    EXPECT_EQ(drafts.nodes[0].driver, driver);
    EXPECT_EQ(drafts.nodes[0].info(key), "h");
  }
}

TEST(Draft, newerPortsKeepWhatTheySay) {
  const Drafts drafts = drafts_of(
      R"([{"pm_type": "fake_pxe", "ports": [{"address": "52:54:00:00:00:01", "physical_network": "p1", "pxe_enabled": false,
           "local_link_connection": {"port_id": "1"}}, {"address": "52:54:00:00:00:02"}]}])");
  ASSERT_EQ(drafts.nodes.at(0).ports.size(), 2U);
  EXPECT_EQ(drafts.nodes[0].ports[0].physical_network, "p1");
  EXPECT_FALSE(drafts.nodes[0].ports[0].pxe_enabled);
  EXPECT_EQ(drafts.nodes[0].ports[0].local_link_connection["port_id"], "1");
  EXPECT_TRUE(drafts.nodes[0].ports[1].pxe_enabled);
}

TEST(Draft, libvirtGetsAUri) {
  const Drafts drafts = drafts_of(
      R"([{"pm_type": "pxe_ssh", "pm_addr": "192.0.2.8", "pm_user": "stack", "mac": ["52:54:00:00:00:01"]}])");
  EXPECT_EQ(drafts.nodes.at(0).driver_info["libvirt_uri"], "qemu+ssh://stack@192.0.2.8/system");
}

TEST(Draft, theFieldsValidateFindsMissingCredentials) {
  const auto entries = read_listing(
      R"([{"pm_type": "ipmi", "pm_addr": "h", "mac": []}, {"pm_type": "ipmi", "pm_addr": "h", "pm_user": "u",
    "pm_password": "p"}, {"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:01"]}])",
      "f", ListingFormat::json);
  EXPECT_EQ(environment_faults(*entries).size(), 4U);
}

}  // namespace
}  // namespace hearth::bootstrap
