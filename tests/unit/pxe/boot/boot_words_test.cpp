#include "pxe/boot/boot_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"
#include "base/text.hpp"
#include "pxe/boot/answer.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

/// The three scripts for a machine that boots with these arguments.
std::vector<std::string> scripts_of(const KernelArguments& arguments, const BootSource& kernel,
                                    const std::string& name) {
  const Site site = dhcp::sample_site();
  Node node = site.nodes[0];
  node.name = name;
  node.profile = Profile{kernel, "/srv/ramdisk", arguments};
  const BootPlan plan = plan_for(site, std::make_shared<const Node>(node));
  const Mac mac = node.macs.front();
  return {ipxe_script(site, plan, mac, dhcp::ip("192.0.2.1")), pxelinux_config(site, plan, dhcp::ip("192.0.2.1")),
          grub_config(site, plan, dhcp::ip("192.0.2.1"))};
}

/// Every byte that is something in one of the three languages, and some that are nothing.
std::string nasty_text(std::mt19937& random) {
  static const std::string letters = "a0=. /:\"\n\r\t\v\f\0${}&|;#\\'`()<>*?!%-\x7f\xff"s;
  std::string text;
  for (std::size_t size = random() % 12; size > 0; --size) text.push_back(letters[random() % letters.size()]);
  return text;
}

TEST(KernelArguments, OneValueInIsOneListOfWordsOutInAllThreeLanguages) {
  std::mt19937 random(21);  // NOLINT: the same each time
  const std::vector<std::string> plain = scripts_of("harmless", "/srv/kernel", "one");
  std::size_t taken = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string text = nasty_text(random);
    const auto arguments = KernelArguments::parse(text);
    if (!arguments) continue;
    ++taken;
    const std::vector<std::string> scripts = scripts_of(*arguments, "/srv/kernel", "one");
    for (std::size_t at = 0; at < scripts.size(); ++at)
      EXPECT_EQ(scripts[at], replace_all(plain[at], "harmless", arguments->text())) << text;
    EXPECT_EQ(arguments->text().find_first_of("\n\r\t\0${}&|;#\\'`()<>*?!"s), std::string::npos) << text;
  }
  EXPECT_GT(taken, 100U);
}

TEST(KernelArguments, WhatKernelsAreUsuallyToldIsTaken) {
  for (const char* text :
       {"console=tty0 console=ttyS0,115200n8", "ipa-api-url=http://[2001:db8::1]:6385", "isolcpus=1-3,^2 ro quiet",
        "sshkey=\"ssh-rsa AAAAB3Nza+/= me@example.org\"", "root=UUID=a-b systemd.unit=x@y.service",
        "bond=prov:eth0,eth1:mode=802.3ad,miimon=100 vlan=prov.5:prov "
        "ip=[2001:db8::15]::[2001:db8::1]:64::prov.5:none"})
    EXPECT_EQ(KernelArguments(text).text(), text);
  EXPECT_EQ(KernelArguments("  quiet ").text(), "quiet");
  EXPECT_EQ(KernelArguments("a").with("b").text(), "a b");
  EXPECT_EQ(KernelArguments("").with("b").text(), "b");
}

TEST(KernelArguments, TheErrorSaysWhatIsRefusedAndWhere) {
  EXPECT_EQ(KernelArguments::parse("quiet\nchain http://192.0.2.66/x").error(),
            "a line end at character 6 can't be handed to a boot loader");
  EXPECT_THAT(KernelArguments::parse("a=${net0/ip}").error(), HasSubstr("'$' at character 3"));
  EXPECT_THAT(KernelArguments::parse("a \"b").error(), HasSubstr("no other to close it"));
  EXPECT_THROW(KernelArguments("quiet && shell"), Error);
}

TEST(BootSource, AUrlIsOneWordAndAFileAnything) {
  EXPECT_TRUE(BootSource("http://192.0.2.9/k?temp_url_sig=a&temp_url_expires=1").is_url());
  EXPECT_FALSE(BootSource("/srv/my images/kernel").is_url());
  for (const char* text : {"http://h/k\nshell", "http://h/k shell", "http://h/${net0/mac}", "http://h/k#x", "x://h/k",
                           "/srv/a\nhttp://h/k", "/srv/\tkernel"})
    EXPECT_FALSE(BootSource::parse(text)) << text;
  const std::vector<std::string> scripts = scripts_of("quiet", "http://192.0.2.9/k?a=1&b=2", "one");
  EXPECT_THAT(scripts[0], HasSubstr("kernel http://192.0.2.9/k?a=1&b=2 "));
}

TEST(BootName, OfLettersDigitsAndMarksOfHostNames) {
  EXPECT_TRUE(is_boot_name("web-1.example_~"));
  for (const char* name : {"a b", "a\nb", "a/b", "$a"}) EXPECT_FALSE(is_boot_name(name)) << name;
}

TEST(BootName, ANameThatSlippedInIsStillNoLineOfAScript) {
  for (const std::string& script : scripts_of("quiet", "/srv/kernel", "x\nchain http://192.0.2.66/x"))
    EXPECT_THAT(script, testing::Not(HasSubstr("\nchain http"))) << script;
}

}  // namespace
}  // namespace hearth::pxe
