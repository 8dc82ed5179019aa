#include "bootstrap/inventory/driver_words.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::string faults(const std::string& driver, const Json& info, bool rehearsal = false) {
  Node node;
  node.driver = driver;
  node.driver_info = info;
  return join(driver_word_faults(node, rehearsal), "; ");
}

TEST(DriverWords, whatWouldRunOrReadSomethingHereIsForRehearsals) {
  EXPECT_NE(faults("qemu", Json::object()), "");
  EXPECT_NE(faults("ipmi", {{"qemu_options", "-netdev tap,script=/tmp/evil.sh"}}), "");
  for (const char* key : {"ipmi_password_file", "redfish_password_file"}) {
    EXPECT_NE(faults("ipmi", {{key, "/etc/shadow"}}), "") << key;
    EXPECT_NE(faults("ipmi", {{key, "/etc/hearth/../shadow"}}), "") << key;
    EXPECT_EQ(faults("ipmi", {{key, "/etc/hearth/bmc-password"}}), "") << key;
  }
  for (const char* uri :
       {"qemu+ext:///system?command=/tmp/evil", "qemu+ssh://h/system?command=/tmp/evil", "qemu:///session?socket=/s",
        "test:///tmp/x.xml", "qemu+ssh://-oProxyCommand=x/system", "qemu://h/system/../x", "lxc:///"})
    EXPECT_NE(faults("libvirt", {{"libvirt_uri", uri}}), "") << uri;
  for (const char* uri : {"qemu:///system", "qemu+ssh://root@host.example:22/system", "test:///default"})
    EXPECT_EQ(faults("libvirt", {{"libvirt_uri", uri}}), "") << uri;
  EXPECT_EQ(faults("qemu", {{"qemu_options", "-snapshot"}, {"ipmi_password_file", "/tmp/p"}}, true), "");
}

TEST(DriverWords, whatEndsInABootScriptIsOneWordAlsoInRehearsals) {
  EXPECT_EQ(faults("fake-hardware", {{"kernel_append_params", "console=ttyS0 quiet"}}, true), "");
  EXPECT_EQ(faults("fake-hardware", {{"kernel_append_params", std::string(1500, 'x')}}, true), "");
  EXPECT_NE(faults("fake-hardware", {{"kernel_append_params", std::string(1501, 'x')}}, true), "")
      << "the kernel would cut off what comes behind";
  EXPECT_EQ(faults("fake-hardware", {{"kernel_append_params", "quiet\nchain http://192.0.2.66/x"}}, true),
            "kernel_append_params: a line end at character 6 can't be handed to a boot loader");
  EXPECT_NE(faults("fake-hardware", {{"deploy_kernel", "http://h/k\nshell"}}, true), "");
  EXPECT_NE(faults("libvirt", {{"libvirt_domain", "--help"}}, true), "");
}

}  // namespace
}  // namespace hearth::bootstrap
