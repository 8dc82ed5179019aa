#include "agent/cfn/init.hpp"
#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(CfnTest, ServicesAreEnabledAndStartedThroughSystemd) {
  files_.put("/bin/systemctl", "", 0755);
  runner_.on("systemctl", [](const Command& command) {
    return CommandResult{Exited{command.argv.at(1) == "status" ? 3 : 0}, "", ""};
  });
  apply_services(json(R"({"sysvinit": {"a": {"enabled": "true", "ensureRunning": true}},
                          "systemd": {"b": {"enabled": false, "ensureRunning": "false"}}, "windows": {"c": {}}})"),
                 world());
  EXPECT_EQ(commands(), (Words{"/bin/systemctl enable a.service", "/bin/systemctl status a.service",
                               "/bin/systemctl start a.service", "/bin/systemctl disable b.service",
                               "/bin/systemctl status b.service"}));
  EXPECT_TRUE(log_.holds("Skipping invalid service type: windows"));
}

TEST_F(CfnTest, WithoutSystemdTheOlderToolsAreUsed) {
  runner_.on("service", 0);
  runner_.on("update-rc.d", 0);
  runner_.on("chkconfig", 0);
  apply_services(json(R"({"sysvinit": {"a": {"enabled": 1, "ensureRunning": false}}})"), world());
  EXPECT_EQ(commands(),
            (Words{"/usr/sbin/update-rc.d a enable", "/usr/sbin/service a status", "/usr/sbin/service a stop"}));
  files_.put("/sbin/service", "", 0755);
  files_.put("/sbin/chkconfig", "", 0755);
  runner_.ran.clear();
  apply_services(json(R"({"sysvinit": {"a": {"enabled": 0, "ensureRunning": true}}})"), world());
  EXPECT_EQ(commands(), (Words{"/sbin/chkconfig a off", "/sbin/service a status"}));
}

TEST_F(CfnTest, WatchedServicesThatAreDownAreStarted) {
  runner_.on("service", [](const Command& command) {
    const bool down = command.argv.at(1) == "down" && command.argv.at(2) == "status";
    return CommandResult{Exited{down ? 3 : 0}, "", ""};
  });
  EXPECT_EQ(restart_services(json(R"({"sysvinit": {"up": {"ensureRunning": true}, "down": {"ensureRunning": true},
                                      "other": {"ensureRunning": false}}})"),
                             world()),
            Words{"down"});
}

}  // namespace
}  // namespace hearth::agent
