#include "bootstrap/site/site_file.hpp"

#include <gtest/gtest.h>

#include <array>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_network = "network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}\n";

TEST(SiteFile, aWholeSiteIsReadWithPathsRelativeToIt) {
  const std::string text = cat(k_network, R"(
seed: {image: out/seed.qcow2, memory: 1024}
deploy: {kernel: deploy.kernel, ramdisk: /srv/deploy.ramdisk}
image: node.qcow2
machines:
  - {name: control1, firmware: uefi, memory: 1024, disk: 8, cpus: 2, profile: control, address: 192.0.2.50}
  - {}
stack: {name: hall, template: hall.yaml, environments: [a.yaml], parameters: {count: 3}}
)");
  const Result<SiteFile, std::string> site = parse_site_file(text, "/site/site.yaml");
  ASSERT_TRUE(site) << site.error();
  EXPECT_EQ(site->seed_image, "/site/out/seed.qcow2");
  EXPECT_EQ(site->seed_memory_mib, 1024U);
  EXPECT_EQ(site->deploy.kernel, "/site/deploy.kernel");
  EXPECT_EQ(site->deploy.ramdisk, "/srv/deploy.ramdisk");
  ASSERT_EQ(site->machines.size(), 2U);
  EXPECT_TRUE(site->machines[0].uefi);
  EXPECT_EQ(site->machines[0].disk_gib, 8U);
  EXPECT_EQ(site->machines[0].address, "192.0.2.50");
  EXPECT_EQ(site->machines[1].name, "node2");
  EXPECT_NE(site->machines[0].mac, site->machines[1].mac);
  EXPECT_FALSE(site->machines[0].has_own_mac);
  ASSERT_EQ(site->inventory.size(), 2U);
  EXPECT_EQ(site->inventory[0].data["name"], "control1");
  EXPECT_EQ(site->stack.name, "hall");
  EXPECT_EQ(site->stack.template_file, "/site/hall.yaml");
  EXPECT_EQ(site->stack.environments, std::vector<fs::path>{"/site/a.yaml"});
  EXPECT_EQ(site->stack.parameters.at("count"), "3");
}

TEST(SiteFile, addressesAreLentForSoLongAsItSays) {
  std::string text = k_network;
  EXPECT_EQ(parse_site_file(cat(text, "machines: [{}]\n"), "s.yaml").value().lease_s, 3600U);
  text.insert(text.rfind('}'), ", lease_s: 600");
  EXPECT_EQ(parse_site_file(cat(text, "machines: [{}]\n"), "s.yaml").value().lease_s, 600U);
  text.replace(text.find("600"), 3, "6");
  EXPECT_NE(parse_site_file(cat(text, "machines: [{}]\n"), "s.yaml").error().find("network.lease_s"),
            std::string::npos);
}

struct SiteFileWrong {
  const char* text;
  const char* message;
};

TEST(SiteFile, whatIsWrongIsNamedWithItsLine) {
  const std::array<SiteFileWrong, 29> cases = {{
      {"[]", "a map with network"},
      {"machines: []\n", "network: is missing"},
      {"network: {subnet: 192.0.2.0/24, seed: 198.51.100.1, pool: 192.0.2.9-192.0.2.10}\n",
       "site.yaml:1: network.seed: '198.51.100.1' is no address in 192.0.2.0/24"},
      {"network: {subnet: somewhere, seed: 192.0.2.1, pool: x}\n", "somewhere is no network"},
      {"network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.9}\n", "FIRST-LAST is expected"},
      {"network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.60-192.0.2.50}\n",
       "site.yaml:1: network.pool: '192.0.2.60-192.0.2.50' has its last address before its first"},
      {"N\nmachines:\n- bmc: {type: ipmi, address: a}\n  root_device: {sise: 1}\n",
       "machines[0]: root_device.sise is no hint (do you mean size?)"},
      {"N\nmachine: []\n", "unknown key 'machine' (machines?)"},
      {"N\nmachines: [{firmware: bois}]\n", "site.yaml:3: machines[0].firmware: bios or uefi"},
      {"N\nmachines: [{memory: 64}]\n", "machines[0].memory: a number from 256 to 1048576 (MiB) is expected"},
      {"N\nmachines: [{name: a}, {name: a}]\n", "machines[1].name: a is there twice"},
      {"N\nmachines: [{name: a/b}]\n", "machines[0].name: 'a/b': letters, digits"},
      {"N\nmachines: [{mac: '52:54:00:00:00:01'}, {mac: 52-54-00-00-00-01}]\n", "is node1's already"},
      {"N\nmachines: [{mac: 52:54:00:11:22:33}]\n", "put it in quotes"},
      {"N\nmachines: [{address: 198.51.100.7}]\n",
       "site.yaml:3: machines[0].address: 198.51.100.7 is not in 192.0.2.0/24"},
      {"N\nmachines: [{address: 192.0.2.1}]\n", "machines[0].address: 192.0.2.1 is the seed's"},
      {"N\nmachines: [{address: 192.0.2.5}, {address: 192.0.2.5}]\n",
       "machines[1].address: 192.0.2.5 is node1's already"},
      {"N\nstack: {environments: [1]}\n", "stack.template: is missing"},
      {"network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.9-192.0.2.10, dns: [here], mode: both}\n",
       "network.dns: 'here' is no IPv4 address"},
      {"N\nmachines:\n- name: a\n  bmc:\n    type: redfsh\n", "site.yaml:6: machines[0]: unknown bmc.type"},
      {"N\nmachines:\n- name: a\n- name: b\n  bmc: {type: redfish}\n",
       "site.yaml:6: machines[1]: The following fields are missing: bmc.address"},
      {"N\nmachines:\n- bmc: {type: ipmi, address: a, ipmi_prt: 1, pm_colour: red}\n", "Unknown field pm_colour"},
      {"N\nbmc: redfish\n", "site.yaml:3: bmc: a map is expected here"},
      {"N\nmachines: [{address: 192.0.2.255}]\n", "192.0.2.255 is the network's first or last address"},
      {"network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.9-192.0.2.10, gateway: 192.0.2.254}\n",
       "unknown key 'gateway' (router?)"},
      {"N\nnetworks: []\n", "unknown key 'networks': that is hearth pxe's own form"},
      {"N\n\tmachines: []\n", "what else may be wrong is told once that is mended"},
      {"N\ninventory: x\n", "unknown key 'inventory': hearth rehearse"},
      {"N\nmachines:\n- bmc: {type: ipmi, address: a, user: u, pasword: p}\n", "Unknown field pasword (password?)"},
  }};
  for (const SiteFileWrong& wrong : cases) {
    const std::string text = replace_all(wrong.text, "N\n", cat(k_network, "\n"));
    const Result<SiteFile, std::string> site = parse_site_file(text, "site.yaml");
    ASSERT_FALSE(site) << text;
    EXPECT_NE(site.error().find(wrong.message), std::string::npos) << text << "\n" << site.error();
  }
}

TEST(SiteFile, allThatIsWrongIsToldAtOnce) {
  const Result<SiteFile, std::string> site =
      parse_site_file(cat(k_network, "machines: [{cpus: 0}, {firmware: x}]\nimage: 7\n"), "s.yaml");
  ASSERT_FALSE(site);
  EXPECT_EQ(split_lines(site.error()).size(), 3U) << site.error();
}

TEST(SiteFile, aFaultOfAllBmcsIsToldOnce) {
  const Result<SiteFile, std::string> site = parse_site_file(
      cat(k_network,
          "bmc: {type: ipmi, address: a, user: u, password: p, colour: red}\nmachines: [{name: a}, {name: b}]\n"),
      "s.yaml");
  ASSERT_FALSE(site);
  EXPECT_NE(site.error().find("s.yaml:2: bmc: Unknown field colour"), std::string::npos) << site.error();
  EXPECT_EQ(site.error().find("Unknown field"), site.error().rfind("Unknown field")) << site.error();
}

TEST(SiteFile, aFaultOfSomeBmcsNamesTheirMachines) {
  const Result<SiteFile, std::string> site =
      parse_site_file(cat(k_network,
                          "bmc: {type: ipmi, user: u, password: p}\n"
                          "machines: [{name: a}, {name: b, bmc: {address: 192.0.2.200}}, {name: c}]\n"),
                      "s.yaml");
  ASSERT_FALSE(site);
  EXPECT_NE(site.error().find("s.yaml:2: bmc of a, c: The following fields are missing: bmc.address"),
            std::string::npos)
      << site.error();
}

TEST(SiteFile, whatIsHardlyMeantIsDoubted) {
  const auto doubts = [](const char* pool, const char* machine) {
    const std::string text =
        cat("network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: ", pool,
            "}\ndeploy: {kernel: k, ramdisk: r}\nmachines:\n- {name: a, mac: '52:54:00:00:00:01', address: ", machine,
            ", bmc: {type: redfish, address: 'https://192.0.2.50', user: u, password: p}}\n");
    return join(site_doubts(parse_site_file(text, "s.yaml").value(), "s.yaml"), "\n");
  };
  EXPECT_EQ(doubts("192.0.2.100-192.0.2.199", "192.0.2.51"), "");
  EXPECT_EQ(doubts("192.0.2.1-192.0.2.9", "192.0.2.51"),
            "s.yaml: network.pool: 192.0.2.1-192.0.2.9 holds the seed's own address, 192.0.2.1");
  EXPECT_EQ(doubts("192.0.2.100-192.0.2.199", "192.0.2.50"),
            "s.yaml:4: machines[0].address: 192.0.2.50 is its own BMC's: a machine and its BMC have one each");
}

TEST(SiteFile, filesThatAreMissingAreNamedWithWhatMakesThem) {
  const TempDir folder = TempDir::create(fs::temp_directory_path(), "site.");
  const fs::path file = folder.path() / "site.yaml";
  RealFileSystem().write(file, cat(k_network, "deploy: {kernel: k, ramdisk: r}\nstack: {template: site.yaml}\n"), {});
  const SiteFile site = load_site_file(file);
  const std::vector<std::string> missing = missing_files(site, true);
  ASSERT_EQ(missing.size(), 4U) << join(missing, "\n");
  EXPECT_NE(missing[0].find("ramdisk-image-create"), std::string::npos);
  EXPECT_NE(missing[2].find("the site file names none"), std::string::npos);
  EXPECT_NE(missing[3].find("hearth seed create"), std::string::npos);
  EXPECT_THROW(static_cast<void>(load_site_file(folder.path() / "none.yaml")), Error);
  RealFileSystem().write(folder.path() / "k", "", {});
  fs::create_directory(folder.path() / "r");
  const std::vector<std::string> useless = missing_files(site, false);
  ASSERT_EQ(useless.size(), 3U) << join(useless, "\n");
  EXPECT_NE(useless[0].find("k is empty; made by: ramdisk-image-create -o deploy "), std::string::npos) << useless[0];
  EXPECT_NE(useless[0].find("which writes deploy.kernel and deploy.initramfs"), std::string::npos) << useless[0];
  EXPECT_NE(useless[1].find("r is no file; "), std::string::npos) << useless[1];
}

TEST(SiteFile, theCommandThatMakesAMissingFileMakesItWhereTheSiteFileSays) {
  const TempDir folder = TempDir::create(fs::temp_directory_path(), "site.");
  const fs::path file = folder.path() / "site.yaml";
  const char* files = "deploy: {kernel: output/d.kernel, ramdisk: output/d.initramfs}\nimage: my node.raw\n";
  RealFileSystem().write(file, cat(k_network, files, "stack: {template: site.yaml}\n"), {});
  const std::string output = (folder.path() / "output").string();
  const std::vector<std::string> missing = missing_files(load_site_file(file), false);
  ASSERT_EQ(missing.size(), 3U) << join(missing, "\n");
  EXPECT_NE(missing[1].find(cat("made by: mkdir -p ", output, " && ramdisk-image-create -o ", output,
                                "/d --ramdisk-element deploy-ramdisk debian-minimal")),
            std::string::npos)
      << missing[1];
  EXPECT_NE(missing[2].find(cat("made by: hearth image create -o '", folder.path().string(), "/my node' -t raw vm ")),
            std::string::npos)
      << missing[2];
}

TEST(SiteFile, anImageOfAChannelIsNoMissingFile) {
  const TempDir folder = TempDir::create(fs::temp_directory_path(), "site.");
  const fs::path file = folder.path() / "site.yaml";
  RealFileSystem().write(file, cat(k_network, "image: web@stable\n"), {});
  SiteFile site = load_site_file(file);
  EXPECT_TRUE(has_channel_image(site));
  EXPECT_EQ(join(missing_files(site, false), "\n").find("web@stable"), std::string::npos);
  EXPECT_EQ(join(missing_files(site, false), "\n").find("template"), std::string::npos) << "none is named, nor needed";
  RealFileSystem().write(folder.path() / "web@stable", "a file of that name", {});
  EXPECT_FALSE(has_channel_image(site));
  site.image = folder.path() / "web.qcow2";
  EXPECT_FALSE(has_channel_image(site));
}

}  // namespace
}  // namespace hearth::bootstrap
