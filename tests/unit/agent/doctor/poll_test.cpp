#include "tests/unit/agent/doctor/doctor_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(DoctorTest, TheSettingsAreThoseOfTheDaemon) {
  const CollectSettings found = settings();
  EXPECT_EQ(found.command, "os-refresh-config");
  EXPECT_EQ(found.cache, "/var/lib/os-collect-config");
  EXPECT_EQ(found.servers, std::vector<std::string>{"http://heat.example:8000/v1/"});
  EXPECT_EQ(found.error, "");
}

TEST_F(DoctorTest, SourcesAreAskedButNoMessageIsTakenFromAQueue) {
  runner_.on("self", 0, R"({"cfn": {"deployments": []}})");
  const Poll found = poll_once(settings(), world());
  EXPECT_EQ(join(runner_.ran.at(0).argv, " "), "/self os-collect-config --print cfn");
  EXPECT_EQ(found.configured, std::vector<std::string>{"cfn"});
  EXPECT_EQ(python_json(found.documents), R"({"cfn": {"deployments": []}})");
}

TEST_F(DoctorTest, AConfigurationThatTheDaemonRefusesIsSaidToBeWrongByWhateverNeedsIt) {
  for (const char* wrong : {"[DEFAULT]\ncollectors = cfn,ec2\n", "[DEFAULT]\npolling_interval = often\n", "no ini ["}) {
    files_.put("/etc/os-collect-config.conf", wrong);
    const CollectSettings found = settings();
    EXPECT_NE(found.error, "") << wrong;
    EXPECT_EQ(problems(check_network(found, world())),
              "which they are is not known: os-collect-config can't read its configuration\n");
    EXPECT_EQ(problems(check_metadata(poll_once(found, world()))), cat("no source was asked:\n", found.error, "\n"));
  }
  EXPECT_TRUE(runner_.ran.empty());
}

TEST_F(DoctorTest, APollThatFailsIsToldAsAWarning) {
  runner_.on("self", 1, "garbage");
  EXPECT_NE(poll_once(settings(), world()).warnings.find("exit code 1"), std::string::npos);
}

}  // namespace
}  // namespace hearth::agent
