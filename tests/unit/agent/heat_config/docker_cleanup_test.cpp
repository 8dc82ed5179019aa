#include "agent/heat_config/docker_cleanup.hpp"

#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

class CleanupTest : public HookTest {
 protected:
  CleanupTest() { env_["HEAT_SHELL_CONFIG"] = "/cfg"; }
  HookWorld world() { return {files_, runner_, log_, env_}; }
  std::vector<std::string> commands() {
    std::vector<std::string> all;
    for (const Command& ran : runner_.ran) all.push_back(join(ran.argv, " "));
    return all;
  }
};

TEST_F(CleanupTest, ContainersOfGoneDeploymentsAreRemovedAndNamesGivenBack) {
  files_.put("/cfg", R"([{"id": "keep", "group": "docker-cmd"}, {"id": "other", "group": "script"}])");
  runner_.on("docker", [](const Command& command) -> CommandResult {
    const std::string words = join(command.argv, " ");
    if (words.find("ps -a --filter") != std::string::npos) return {Exited{0}, "keep\ngone\nother\ngone\n", ""};
    if (words.find("config_id=gone") != std::string::npos) return {Exited{0}, "c1\nc2\n", ""};
    if (words.find("{{.Names}} ") != std::string::npos) return {Exited{0}, "web-1 web\ndb-1 db\ndb db\nfree\n", ""};
    return {Exited{0}, "", ""};
  });
  EXPECT_EQ(clean_docker_containers(world()), 0);
  EXPECT_EQ(
      commands(),
      (std::vector<std::string>{
          "docker ps -a --filter label=managed_by=docker-cmd --format {{.Label \"config_id\"}}",
          "docker ps -q -a --filter label=managed_by=docker-cmd --filter label=config_id=gone", "docker rm -f c1",
          "docker rm -f c2", "docker ps -q -a --filter label=managed_by=docker-cmd --filter label=config_id=other",
          "docker ps -a --format {{.Names}} {{.Label \"container_name\"}}", "docker rename web-1 web"}));
  EXPECT_TRUE(log_.holds("Cannot rename \"db-1\" since \"db\" still exists"));
}

TEST_F(CleanupTest, WithoutAValidListNothingIsRemoved) {
  EXPECT_EQ(clean_docker_containers(world()), 0);
  for (const char* list : {"", "{", "{}"}) {
    files_.put("/cfg", list);
    EXPECT_EQ(clean_docker_containers(world()), 0);
    EXPECT_EQ(prepare_compose_projects(world()), 0);
  }
  EXPECT_TRUE(runner_.ran.empty());
}

TEST_F(CleanupTest, StaleProjectsAreStoppedAndTheOthersWritten) {
  env_["HEAT_DOCKER_COMPOSE_WORKING"] = "/w";
  runner_.on("docker-compose", 0);
  files_.put("/w/old/docker-compose.yml", "x");
  files_.put("/w/kept/docker-compose.yml", "x");
  files_.put("/cfg",
             R"([{"name": "kept", "group": "script"}, {"name": "a", "group": "docker-compose", "config": "text"},
                         {"name": "b", "group": "docker-compose", "config": {"web": {"image": "i"}}}])");
  EXPECT_EQ(prepare_compose_projects(world()), 0);
  EXPECT_EQ(commands(), std::vector<std::string>{"docker-compose kill"});
  EXPECT_EQ(runner_.ran[0].cwd.string(), "/w/old");
  EXPECT_EQ(files_.files.count("/w/old/docker-compose.yml"), 0U);
  EXPECT_EQ(files_.files.count("/w/kept/docker-compose.yml"), 1U);
  EXPECT_EQ(data("/w/a/docker-compose.yml"), "text");
  EXPECT_EQ(data("/w/b/docker-compose.yml"), "web:\n  image: i\n");
  EXPECT_EQ(mode("/w/b/docker-compose.yml"), 0600U);
}

TEST_F(CleanupTest, WithoutDockerComposeAStaleProjectStaysForTheNextTime) {
  env_["HEAT_DOCKER_COMPOSE_WORKING"] = "/w";
  files_.put("/w/old/docker-compose.yml", "x");
  files_.put("/cfg", R"([{"name": "../x", "group": "docker-compose", "config": ""}])");
  EXPECT_EQ(prepare_compose_projects(world()), 1);
  EXPECT_EQ(files_.files.count("/w/old/docker-compose.yml"), 1U);
}

}  // namespace
}  // namespace hearth::agent
