#include "base/sys/file.hpp"
#include "tests/unit/agent/doctor/doctor_fixture.hpp"

namespace hearth::agent {
namespace {

class DoctorAgentsTest : public DoctorTest {
 protected:
  DoctorAgentsTest() {
    RealFileSystem real;
    for (const char* name : {"os-collect-config", "os-refresh-config", "os-apply-config"}) {
      real.write(bin_.path() / name, "", {.mode = 0755});
    }
    env_["PATH"] = bin_.path().string();
    files_.put("/usr/libexec/os-refresh-config/configure.d/55-heat-config", "", 0755);
    files_.put("/proc/1/cmdline", std::string("/sbin/init\0", 11));
    files_.put("/proc/77/cmdline", std::string("/usr/bin/python3\0/usr/bin/os-collect-config\0", 44));
  }
  std::string ask() { return problems(check_agents(settings(), world())); }
  TempDir bin_ = TempDir::create("/tmp", "hearth-doctor-");
};

TEST_F(DoctorAgentsTest, AHealthyMachineHasNoProblem) { EXPECT_EQ(ask(), ""); }

TEST_F(DoctorAgentsTest, MissingProgramsAreNamed) {
  RealFileSystem().remove(bin_.path() / "os-refresh-config");
  EXPECT_EQ(ask(), "os-refresh-config is not in PATH\n");
}

TEST_F(DoctorAgentsTest, AStepThatIsNotExecutableIsAProblem) {
  files_.put("/usr/libexec/os-refresh-config/configure.d/55-heat-config", "", 0644);
  EXPECT_NE(ask().find("not there or not executable"), std::string::npos);
}

TEST_F(DoctorAgentsTest, ADaemonThatIsNotRunningIsAProblem) {
  files_.remove("/proc/77/cmdline");
  EXPECT_EQ(ask(), "os-collect-config is not running\n");
}

TEST_F(DoctorAgentsTest, AConfigurationWithoutCommandOrWithAMistakeIsAProblem) {
  files_.put("/etc/os-collect-config.conf", "[DEFAULT]\n");
  EXPECT_EQ(ask(), "os-collect-config has no command\n");
  files_.put("/etc/os-collect-config.conf", "[DEFAULT\n");
  EXPECT_NE(ask().find("can't read its configuration"), std::string::npos);
}

}  // namespace
}  // namespace hearth::agent
