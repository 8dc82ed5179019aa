#include "agent/cfn/hup.hpp"

#include "base/error.hpp"
#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

class CfnHupTest : public CfnTest {
 protected:
  CfnHupTest() {
    files_.put("/etc/main", "[main]\nstack=S\ncredential-file=/cred\n");
    files_.put("/etc/hooks.d/a",
               "[a]\ntriggers=post.update\npath=Resources.R.Metadata\nrunas=root\naction=touch /a\n"
               "[b]\ntriggers=service.restarted\npath=Resources.R.Metadata\nrunas=web\naction=touch /b\n");
    files_.put(
        "/var/lib/heat-cfntools/cfn-init-data",
        R"({"AWS::CloudFormation::Init": {"config": {"services": {"sysvinit": {"x": {"ensureRunning": true}}}}}})");
    runner_.on("sh", 0);
    runner_.on("su", 0);
    runner_.on("service", [](const Command& command) {
      return CommandResult{Exited{command.argv.back() == "status" ? 3 : 0}, "", ""};
    });
  }
  HupConfig config() { return read_hup_config(files_, "/etc/main", "/etc/hooks.conf", "/etc/hooks.d"); }
};

TEST_F(CfnHupTest, ChangedMetadataAndRestartedServicesRunTheirHooks) {
  EXPECT_EQ(run_hup(config(), world()), 0);
  EXPECT_EQ(commands(), (Words{"/usr/sbin/service x status", "/usr/sbin/service x start",
                               "su -s /bin/sh web -c touch /b", "/bin/sh -c touch /a"}));
  runner_.ran.clear();
  runner_.on("service", 0);
  EXPECT_EQ(run_hup(config(), world()), 0);
  EXPECT_EQ(commands(), Words{"/usr/sbin/service x status"});
}

TEST_F(CfnHupTest, TheConfigurationMustBeWhole) {
  EXPECT_EQ(config().request.region, "nova");
  EXPECT_EQ(config().hooks.at(1).resource(), "R");
  files_.remove("/etc/hooks.d/a");
  EXPECT_THROW((void)config(), Error);
  files_.put("/etc/hooks.d/a", "[a]\npath=Resources.R\n");
  EXPECT_THROW((void)config(), Error);
  files_.put("/etc/main", "[main]\nstack=S\n");
  EXPECT_THROW((void)config(), Error);
  files_.remove("/etc/main");
  EXPECT_THROW((void)config(), Error);
}

TEST_F(CfnHupTest, AResourceWithoutMetadataIsAFailure) {
  files_.remove("/var/lib/heat-cfntools/cfn-init-data");
  EXPECT_EQ(run_hup(config(), world()), 1);
}

}  // namespace
}  // namespace hearth::agent
