#include "pxe/boot/site_content.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using testing::HasSubstr;

class SiteContentTest : public testing::Test {
 protected:
  SiteContentTest() {
    RealFileSystem files;
    files.write(directory_.path() / "kernel", "the kernel", {});
    files.write(directory_.path() / "loader", "a loader", {});
    files.make_directories(directory_.path() / "root", 0755);
    files.write(directory_.path() / "root/extra", "further", {});
    Site site = dhcp::sample_site();
    site.root = (directory_.path() / "root").string();
    site.profiles[BootState::deploy] = {(directory_.path() / "kernel").string(), "/dev/null/nonexistent", ""};
    site_ = site;
    content_ =
        std::make_unique<SiteContent>(site, FoundFiles{{{"snponly.efi", (directory_.path() / "loader").string()}}, {}},
                                      nodes_, addresses_, [] { return std::string("counters"); });
    table_.replace(site.nodes);
  }
  std::string get(const std::string& name, Protocol protocol = Protocol::http, const char* client = "192.0.2.77") {
    const auto found = content_->open({name, dhcp::ip(client), dhcp::ip("192.0.2.1"), protocol});
    if (std::holds_alternative<Refusal>(found)) return "REFUSED";
    const Content& content = std::get<Content>(found);
    std::string bytes(static_cast<std::size_t>(content.size()), '\0');
    (void)content.read(0, bytes);
    return bytes;
  }

  TempDir directory_ = TempDir::create("/tmp", "hearth-pxe-");
  AddressBook addresses_;
  NodeTable table_;
  LearningBook nodes_{table_};
  Site site_;
  std::unique_ptr<SiteContent> content_;
};

TEST_F(SiteContentTest, GivesKernelsLoadersAndFurtherFiles) {
  EXPECT_EQ(get("image/deploy/kernel"), "the kernel");
  EXPECT_EQ(get("snponly.efi"), "a loader");
  EXPECT_EQ(get("boot/snponly.efi"), "a loader");
  EXPECT_EQ(get("extra"), "further");
  EXPECT_EQ(get("image/deploy/ramdisk"), "REFUSED");
  EXPECT_EQ(get("image/rescue/kernel"), "REFUSED");
  EXPECT_EQ(get("kernel"), "REFUSED");
}

TEST_F(SiteContentTest, ConfigurationsAreThoseOfTheMachineThatIsNamed) {
  EXPECT_THAT(get("ipxe/52-54-00-00-00-01"), HasSubstr("node one is in state deploy"));
  EXPECT_THAT(get("pxelinux.cfg/01-52-54-00-00-00-02"), HasSubstr("LOCALBOOT"));
  EXPECT_EQ(get("pxelinux.cfg/C00002"), "REFUSED");
}

TEST_F(SiteContentTest, WhoIsNotNamedIsKnownByItsAddress) {
  EXPECT_THAT(get("grub/grub.cfg"), HasSubstr("not in the inventory"));
  addresses_.put(dhcp::ip("192.0.2.77"), dhcp::mac(1));
  EXPECT_THAT(get("grub/grub.cfg"), HasSubstr("node one is in state deploy"));
  EXPECT_THAT(get("pxelinux.cfg/default", Protocol::tftp, "192.0.2.50"), HasSubstr("node one"));
}

TEST_F(SiteContentTest, AChangedStateCountsFromTheNextRequest) {
  site_.nodes[0].state = BootState::local;
  table_.put(site_.nodes[0]);
  EXPECT_THAT(get("ipxe/52-54-00-00-00-01"), HasSubstr("node one is in state local"));
}

TEST_F(SiteContentTest, NewSettingsCountFromTheNextRequest) {
  site_.root.clear();
  site_.profiles[BootState::rescue] = site_.profiles[BootState::deploy];
  content_->use(site_);
  EXPECT_EQ(get("extra"), "REFUSED");
  EXPECT_EQ(get("image/rescue/kernel"), "the kernel");
}

TEST_F(SiteContentTest, ANodesOwnFilesAreServedUnderItsName) {
  site_.nodes[0].profile = Profile{(directory_.path() / "loader").string(), "", ""};
  table_.put(site_.nodes[0]);
  EXPECT_EQ(get("image/node/1/kernel"), "a loader");
  EXPECT_EQ(get("image/node/1/ramdisk"), "REFUSED");
  EXPECT_EQ(get("image/node/2/kernel"), "REFUSED");
  EXPECT_EQ(get("image/node/9/kernel"), "REFUSED");
}

TEST_F(SiteContentTest, WhoHasToldItsSerialNumberIsKnownFromThenOn) {
  EXPECT_THAT(get("ipxe/52-54-00-00-00-09"), HasSubstr("not in the inventory"));
  table_.put({.id = "3", .name = "three", .serial = "S3", .state = BootState::deploy});
  EXPECT_THAT(get("ipxe/52-54-00-00-00-09"), HasSubstr("serial=${serial:uristring}"));
  EXPECT_THAT(get("ipxe/52-54-00-00-00-09,uuid=,serial=S4"), HasSubstr("not in the inventory"));
  EXPECT_THAT(get("ipxe/52-54-00-00-00-09,uuid=,serial=S3"), HasSubstr("node three is in state deploy"));
  EXPECT_THAT(get("ipxe/52-54-00-00-00-09"), HasSubstr("node three is in state deploy"));
}

TEST_F(SiteContentTest, BesideAnotherDhcpServerRequestsTellWhoseAddressItIs) {
  (void)get("ipxe/52-54-00-00-00-01");
  EXPECT_EQ(addresses_.find(dhcp::ip("192.0.2.77")), std::nullopt) << "leases tell better";
  site_.mode = Mode::proxy;
  content_->use(site_);
  (void)get("ipxe/52-54-00-00-00-01");
  EXPECT_EQ(addresses_.find(dhcp::ip("192.0.2.77")), dhcp::mac(1));
}

TEST_F(SiteContentTest, CountersAreForHttpOnly) {
  EXPECT_EQ(get("metrics"), "counters");
  EXPECT_EQ(get("metrics", Protocol::tftp), "REFUSED");
}

}  // namespace
}  // namespace hearth::pxe
