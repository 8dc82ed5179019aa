#include "pxe/boot/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using testing::HasSubstr;
using testing::Not;

const Ipv4 k_server = dhcp::ip("192.0.2.1");

class BootAnswerTest : public testing::Test {
 protected:
  [[nodiscard]] BootPlan plan(std::uint8_t last) const { return plan_for(site_, nodes(), {.mac = dhcp::mac(last)}); }
  [[nodiscard]] BootOffer offer(std::uint8_t last, Client::Kind kind, std::uint16_t arch) const {
    return boot_offer(site_, plan(last), {.mac = dhcp::mac(last), .kind = kind, .arch = arch}, k_server);
  }
  /// Those of the site as it is now.
  [[nodiscard]] const NodeBook& nodes() const {
    table_.replace(site_.nodes);
    return table_;
  }
  Site site_ = dhcp::sample_site();
  mutable NodeTable table_;
};

TEST_F(BootAnswerTest, FirmwareGetsTheLoaderOfItsKind) {
  EXPECT_EQ(offer(1, Client::Kind::pxe, 0).file, "undionly.kpxe");
  EXPECT_EQ(offer(1, Client::Kind::pxe, 7).file, "snponly.efi");
  EXPECT_EQ(offer(1, Client::Kind::pxe, 9).file, "snponly.efi");
  EXPECT_EQ(offer(1, Client::Kind::http, 16).file, "http://192.0.2.1/boot/snponly.efi");
  EXPECT_EQ(offer(1, Client::Kind::pxe, 11).file, "") << "Debian has no iPXE for ARM";
  EXPECT_EQ(offer(1, Client::Kind::other, 0).file, "");
}

TEST_F(BootAnswerTest, IpxeGetsItsScriptAndNeverItselfAgain) {
  site_.http_port = 8080;
  EXPECT_EQ(offer(1, Client::Kind::ipxe, 0).file, "http://192.0.2.1:8080/ipxe/52-54-00-00-00-01");
  EXPECT_EQ(offer(2, Client::Kind::ipxe, 7).file, "http://192.0.2.1:8080/ipxe/52-54-00-00-00-02");
}

TEST_F(BootAnswerTest, AMachineThatIsDeployedGoesToItsDisk) {
  EXPECT_EQ(offer(2, Client::Kind::pxe, 0).file, "");
  EXPECT_EQ(offer(2, Client::Kind::pxe, 7).file, "shimx64.efi") << "GRUB hands over at once";
  EXPECT_THAT(ipxe_script(site_, plan(2), dhcp::mac(2), k_server), HasSubstr("sanboot --no-describe --drive 0x80"));
  EXPECT_THAT(ipxe_script(site_, plan(2), dhcp::mac(2), k_server), Not(HasSubstr("kernel ")));
  EXPECT_THAT(pxelinux_config(site_, plan(2), k_server), HasSubstr("LOCALBOOT 0"));
  EXPECT_THAT(grub_config(site_, plan(2), k_server), HasSubstr("chainloader ($disk)/EFI/$name.efi"));
}

TEST_F(BootAnswerTest, SecureBootGetsTheSignedChain) {
  site_.nodes[0].secure_boot = true;
  EXPECT_EQ(offer(1, Client::Kind::pxe, 7).file, "shimx64.efi");
  EXPECT_EQ(offer(1, Client::Kind::http, 16).file, "http://192.0.2.1/boot/shimx64.efi");
}

TEST_F(BootAnswerTest, PxelinuxTakesThePlaceOfIpxeForBiosOnly) {
  site_.nodes[0].pxelinux = true;
  EXPECT_EQ(offer(1, Client::Kind::pxe, 0).file, "pxelinux.0");
  EXPECT_EQ(offer(1, Client::Kind::ipxe, 0).file, "pxelinux.0");
  EXPECT_EQ(offer(1, Client::Kind::pxe, 7).file, "snponly.efi");
  site_.nodes[0].state = BootState::local;
  EXPECT_EQ(offer(1, Client::Kind::pxe, 0).file, "");
}

TEST_F(BootAnswerTest, AllThreeConfigurationsStartTheProfileOfTheState) {
  site_.nodes[0].append = "node=one";
  EXPECT_THAT(ipxe_script(site_, plan(1), dhcp::mac(1), k_server),
              HasSubstr("kernel http://192.0.2.1/image/deploy/kernel initrd=ramdisk BOOTIF=01-${netX/mac:hexhyp} "
                        "console=ttyS0 node=one || goto again\n"
                        "initrd --name ramdisk http://192.0.2.1/image/deploy/ramdisk || goto again\n"));
  EXPECT_THAT(
      pxelinux_config(site_, plan(1), k_server),
      HasSubstr("KERNEL ::image/deploy/kernel\n  INITRD ::image/deploy/ramdisk\n  APPEND console=ttyS0 node=one\n"));
  EXPECT_THAT(grub_config(site_, plan(1), k_server), HasSubstr("linux /image/deploy/kernel"));
  EXPECT_THAT(grub_config(site_, plan(1), k_server), HasSubstr("initrd /image/deploy/ramdisk"));
}

TEST_F(BootAnswerTest, AStateWithoutAProfileIsAHoldThatSaysSo) {
  site_.nodes[0].state = BootState::rescue;
  const BootPlan held = plan(1);
  EXPECT_EQ(held.state, BootState::hold);
  EXPECT_EQ(held.reason, "node one is in state rescue, but there is no profile for rescue: on hold");
  EXPECT_THAT(ipxe_script(site_, held, dhcp::mac(1), k_server),
              HasSubstr("sleep 30\nchain --replace http://192.0.2.1/ipxe/52-54-00-00-00-01"));
}

TEST_F(BootAnswerTest, UnknownMachinesFollowThePolicy) {
  EXPECT_EQ(plan(9).state, BootState::local);
  EXPECT_EQ(plan(9).reason, "not in the inventory, where the policy is local");
  site_.unknown = UnknownPolicy::ignore;
  EXPECT_TRUE(plan(9).ignored);
  EXPECT_FALSE(plan(1).ignored);
  site_.unknown = UnknownPolicy::inspect;
  EXPECT_EQ(plan(9).state, BootState::hold) << "there is no ramdisk for it";
  site_.profiles[BootState::inspect] = {"/k", "", ""};
  EXPECT_EQ(plan(9).state, BootState::inspect);
}

TEST_F(BootAnswerTest, ANodesOwnProfileTakesThePlaceOfTheSites) {
  site_.nodes[0].profile = Profile{"/srv/own/vmlinuz", "", "own"};
  EXPECT_THAT(ipxe_script(site_, plan(1), dhcp::mac(1), k_server),
              HasSubstr("kernel http://192.0.2.1/image/node/1/kernel BOOTIF=01-${netX/mac:hexhyp} own || goto again\n"
                        "boot"));
  EXPECT_THAT(grub_config(site_, plan(1), k_server), HasSubstr("linux /image/node/1/kernel"));
  site_.nodes[0].state = BootState::rescue;
  EXPECT_EQ(plan(1).state, BootState::rescue) << "the site has no profile for that, but the node has";
  site_.nodes[0].state = BootState::local;
  EXPECT_THAT(ipxe_script(site_, plan(1), dhcp::mac(1), k_server), Not(HasSubstr("kernel ")));
}

TEST_F(BootAnswerTest, UrlsAreForIpxeAsTheyAre) {
  site_.nodes[0].profile = Profile{"http://192.0.2.9/k", "https://192.0.2.9/r", ""};
  const std::string script = ipxe_script(site_, plan(1), dhcp::mac(1), k_server);
  EXPECT_THAT(script, HasSubstr("kernel http://192.0.2.9/k initrd=ramdisk"));
  EXPECT_THAT(script, HasSubstr("initrd --name ramdisk https://192.0.2.9/r"));
  EXPECT_THAT(grub_config(site_, plan(1), k_server), HasSubstr("On hold")) << "signed GRUB has TFTP only";
  EXPECT_THAT(pxelinux_config(site_, plan(1), k_server), HasSubstr("On hold"));
}

TEST_F(BootAnswerTest, WhereASerialNumberIsAllThatIsKnownStrangersGetIpxeWhichTellsTheirs) {
  EXPECT_EQ(offer(9, Client::Kind::pxe, 0).file, "");
  site_.nodes.push_back({.id = "3", .name = "three", .serial = "S3"});
  EXPECT_EQ(offer(9, Client::Kind::pxe, 0).file, "undionly.kpxe");
  EXPECT_EQ(offer(9, Client::Kind::pxe, 7).file, "snponly.efi");
  EXPECT_EQ(offer(2, Client::Kind::pxe, 0).file, "") << "who is known is not asked";
  EXPECT_THAT(
      ipxe_identify(site_, k_server),
      HasSubstr("chain --replace http://192.0.2.1/ipxe/${netX/mac:hexhyp},uuid=${uuid},serial=${serial:uristring}"));
  site_.unknown = UnknownPolicy::ignore;
  EXPECT_TRUE(plan(9).ignored);
}

TEST_F(BootAnswerTest, NodesAreFoundByUuidWhenTheirCardIsNew) {
  const Client client{.mac = dhcp::mac(77), .uuid = "12345678-1234-1234-1234-123456789abc"};
  EXPECT_EQ(find_node(nodes(), client)->name, "one");
}

}  // namespace
}  // namespace hearth::pxe
