#include "agent/cfn/init.hpp"
#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(CfnTest, ManagersComeInTheirOrderAndUnknownOnesAreSkipped) {
  for (const char* program : {"apt-get", "rpm", "gem", "easy_install"}) runner_.on(program, 0);
  apply_packages(json(R"({"rubygems": {"g": ["1.2"], "h": []}, "python": {"e": []}, "apt": {"b": [], "a": ["9"]},
                          "rpm": {"r": "http://h/r.rpm"}, "dpkg": {"x": []}, "apk": {}})"),
                 world());
  EXPECT_EQ(commands(), (Words{"rpm -U --force --nosignature http://h/r.rpm", "apt-get -y install b a",
                               "easy_install e", "gem install -b -y --version 1.2 g", "gem install -b -y h"}));
  EXPECT_EQ(runner_.ran.at(1).env->at("DEBIAN_FRONTEND"), "noninteractive");
  EXPECT_TRUE(log_.holds("Skipping invalid package type: dpkg"));
}

TEST_F(CfnTest, RpmPackagesAreInstalledOrDowngradedToTheNewestNamedVersion) {
  runner_.on("rpm", [](const Command& command) -> CommandResult {
    if (command.argv.back() == "there" || command.argv.back() == "same-2") return {Exited{0}, "", ""};
    if (command.argv.size() == 5) return {Exited{0}, command.argv.back() == "newer" ? "10-1" : "1-1", ""};
    return {Exited{1}, "", ""};
  });
  runner_.on("dnf", [](const Command& command) {
    return CommandResult{Exited{command.argv.back() == "nowhere" ? 1 : 0}, "", ""};
  });
  apply_packages(
      json(R"({"dnf": {"there": [], "same": "2", "new": [], "older": ["1.9", "1.10"], "newer": "9", "nowhere": []}})"),
      world());
  Words ends;
  for (const std::string& command : commands()) {
    if (command.find("install") != std::string::npos || command.find("downgrade") != std::string::npos)
      ends.push_back(command);
  }
  EXPECT_EQ(ends, (Words{"dnf -y --best install new older-1.10", "dnf -y downgrade newer-9"}));
  EXPECT_TRUE(log_.holds("Skipping package 'nowhere'. Not available via dnf"));
}

TEST_F(CfnTest, WithoutYumDnfTakesItsPlaceAndZypperHasItsOwnWords) {
  runner_.on("rpm", 1);
  runner_.on("dnf", 0);
  runner_.on("zypper", 0);
  apply_packages(json(R"({"yum": {"a": []}, "zypper": {"b": []}})"), world());
  EXPECT_EQ(commands(), (Words{"rpm -q a", "dnf -y --showduplicates list available a", "dnf -y --best install a",
                               "rpm -q b", "zypper -n --no-refresh search b", "zypper -n install b"}));
}

}  // namespace
}  // namespace hearth::agent
