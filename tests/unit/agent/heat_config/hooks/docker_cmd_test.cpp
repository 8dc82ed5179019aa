#include "base/error.hpp"
#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

class DockerCmdTest : public HookTest {
 protected:
  /// docker inspect succeeds for `taken`; run and exec end with `status`.
  void docker(const std::string& taken, int status = 0) {
    runner_.on("docker", [taken, status](const Command& command) -> CommandResult {
      const std::string& action = command.argv.at(1);
      if (action == "inspect") return {Exited{command.argv.back() == taken ? 0 : 1}, "exists\n", ""};
      if (action == "ps") return {Exited{0}, "web-x8k2m1qa\n", ""};
      return {Exited{status}, "id of " + command.argv.back() + "\n", ""};
    });
  }
};

TEST_F(DockerCmdTest, ContainersRunInTheirOrderWithLabelsAndSettings) {
  docker("");
  EXPECT_EQ(run("docker-cmd", R"({"id": "c1", "inputs": [{"name": "deploy_stack_id", "value": "s/1"}], "config": {
      "late": {"start_order": 2, "image": "l"},
      "web": {"image": "nginx", "net": "host", "privileged": false, "user": "root", "env_file": "/e", "detach": true,
              "environment": ["A=1", ""], "volumes": ["/a:/b"], "volumes_from": ["db"], "restart": "always",
              "pid": "host", "command": "run  me"}}})"),
            R"({"deploy_stdout": "id of me\n\nid of l\n", "deploy_stderr": "", "deploy_status_code": 0})");
  EXPECT_EQ(command(0), "docker inspect --format exists web");
  EXPECT_EQ(command(1),
            "docker run --name web --label deploy_stack_id=s/1 --label deploy_resource_name=None --label config_id=c1 "
            "--label container_name=web --label managed_by=docker-cmd --detach=true --env-file=/e --env=A=1 --net=host "
            "--pid=host --privileged=false --restart=always --user=root --volume=/a:/b --volumes-from=db nginx run me");
}

TEST_F(DockerCmdTest, ATakenNameGetsASuffix) {
  docker("web");
  (void)run("docker-cmd", R"({"id": "c1", "config": {"web": {"image": "i", "detach": false}}})");
  const std::string& name = runner_.ran.at(2).argv.at(3);
  EXPECT_EQ(name.substr(0, 4), "web-");
  EXPECT_EQ(name.size(), 12U);
  EXPECT_EQ(command(2).find("--detach"), std::string::npos);
}

TEST_F(DockerCmdTest, ExecGoesToTheContainerThatNowHasTheName) {
  docker("");
  (void)run("docker-cmd",
            R"({"id": "c1", "config": {"x": {"action": "exec", "user": "u", "command": ["web", "ls"]}}})");
  EXPECT_EQ(command(0),
            "docker ps -a --filter label=container_name=web --filter label=config_id=c1 --format {{.Names}}");
  EXPECT_EQ(command(1), "docker exec --user=u web-x8k2m1qa ls");
}

TEST_F(DockerCmdTest, AnUnexpectedExitCodeIsTheStatusAndTheRestGoesOn) {
  docker("", 3);
  const std::string config = R"("config": {"a": {"image": "i", "exit_codes": [0, 3]}, "b": {"image": "i"}}})";
  EXPECT_NE(run("docker-cmd", R"({"id": "c1", )" + config).find("\"deploy_status_code\": 3"), std::string::npos);
  EXPECT_EQ(runner_.ran.size(), 4U);
  EXPECT_NE(run("docker-cmd", R"({"id": "c1", "config": {"a": {"image": "i", "exit_codes": [0, 3]}}})")
                .find("\"deploy_status_code\": 0"),
            std::string::npos);
}

TEST_F(DockerCmdTest, DeletionAndAnEmptyConfigAreDoneAtOnce) {
  const std::string done = R"({"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": 0})";
  EXPECT_EQ(run("docker-cmd", R"({"id": "c", "config": {"a": {"image": "i"}},
                                  "inputs": [{"name": "deploy_action", "value": "DELETE"}]})"),
            done);
  EXPECT_EQ(run("docker-cmd", R"({"id": "c", "config": ""})"), done);
  EXPECT_TRUE(runner_.ran.empty());
}

TEST_F(DockerCmdTest, WithoutDockerItFailsAndSaysWhy) {
  EXPECT_NE(run("docker-cmd", R"({"id": "c", "config": {"a": {"image": "i"}}})").find("docker is not installed"),
            std::string::npos);
}

TEST_F(DockerCmdTest, AContainerThatIsNoMappingOrHasAnotherActionIsAnError) {
  EXPECT_THROW((void)run("docker-cmd", R"({"id": "c", "config": {"a": "image"}})"), Error);
  EXPECT_THROW((void)run("docker-cmd", R"({"id": "c", "config": {"a": {"action": "stop"}}})"), Error);
}

}  // namespace
}  // namespace hearth::agent
