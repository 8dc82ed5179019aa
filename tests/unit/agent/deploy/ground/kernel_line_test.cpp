#include "agent/deploy/ground/kernel_line.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::deploy {
namespace {

Settings read(const char* line) { return settings_of(parse_kernel_line(line)); }

TEST(KernelLine, IronicsLineTellsWhereTheConductorIs) {
  const Settings settings = read(
      "selinux=0 troubleshoot=0 text nofb ipa-api-url=http://192.0.2.1:6385/ ipa-global-request-id=req-1 "
      "BOOTIF=01-AA-bb-cc-dd-ee-ff console=tty0 console=ttyS0,115200\n");
  EXPECT_EQ(settings.api_urls, std::vector<std::string>{"http://192.0.2.1:6385"});
  EXPECT_EQ(settings.boot_mac, "aa:bb:cc:dd:ee:ff");
  EXPECT_EQ(settings.listen_port, 9999);
}

TEST(KernelLine, ATimeServerIsIronics) { EXPECT_EQ(read("ipa-ntp-server=192.0.2.7").time_server, "192.0.2.7"); }

TEST(KernelLine, NobodyIsFoundAtPortNought) { EXPECT_EQ(read("ipa-listen-port=0000").listen_port, 9999); }

TEST(KernelLine, SeveralConductorsAreTriedInTheirOrder) {
  EXPECT_EQ(read("ipa-api-url=http://192.0.2.1:6385,http://192.0.2.2:6385").api_urls,
            (std::vector<std::string>{"http://192.0.2.1:6385", "http://192.0.2.2:6385"}));
}

TEST(KernelLine, QuotesHoldBlanksTogether) {
  EXPECT_EQ(parse_kernel_line("a=\"b c\" d").at("a"), "b c");
  EXPECT_EQ(parse_kernel_line("a=\"b c\" d").count("d"), 1U);
}

TEST(KernelLine, ValuesThatMakeNoSenseAreAsIfTheyWereNotThere) {
  const Settings settings = read("ipa-listen-port=70000 ipa-lookup-timeout=soon BOOTIF=eth0 ipa-insecure=0");
  EXPECT_EQ(settings.listen_port, 9999);
  EXPECT_EQ(settings.lookup_timeout, std::chrono::seconds(600));
  EXPECT_EQ(settings.boot_mac, "");
  EXPECT_FALSE(settings.insecure);
}

TEST(KernelLine, APinnedKeyTakesThePlaceOfWhatOtherRamdisksAreTold) {
  const Settings settings = read("ipa-api-url=https://192.0.2.1:6385 ipa-insecure=1 hearth-api-pin=ABCDEF");
  EXPECT_EQ(settings.api_pin, "abcdef");
  EXPECT_FALSE(settings.insecure);
  EXPECT_TRUE(read("ipa-insecure=1").insecure);
  EXPECT_FALSE(read("hearth-api-pin= ipa-insecure=1").insecure) << "a pin that was lost is not trust in everybody";
}

TEST(KernelLine, BothFormsOfBootifAreRead) {
  EXPECT_EQ(mac_of_bootif("01-aa-bb-cc-dd-ee-ff"), "aa:bb:cc:dd:ee:ff");
  EXPECT_EQ(mac_of_bootif("52:54:00:12:34:56"), "52:54:00:12:34:56");
  EXPECT_EQ(mac_of_bootif("52:54:00:12:34:5g"), "");
}

}  // namespace
}  // namespace hearth::agent::deploy
