#include "metadata/live/agent_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {
namespace {

std::string hosts(const Environment& env) {
  std::vector<std::string> all;
  for (const AgentHost& host : agent_hosts(env)) all.push_back(cat(host.role, ".", host.member, "=", host.address));
  return join(all, " ");
}

TEST(AgentHosts, ComeFromTheVariablesOfTheFieldsScript) {
  EXPECT_EQ(
      hosts({{"OVERCLOUD_ROLES", "ControllerDeployedServer ComputeDeployedServer"},
             {"ControllerDeployedServer_hosts", "192.0.2.1 192.0.2.2"},
             {"ComputeDeployedServer_hosts", "192.0.2.4"}}),
      "ControllerDeployedServer.0=192.0.2.1 ControllerDeployedServer.1=192.0.2.2 ComputeDeployedServer.0=192.0.2.4");
  EXPECT_EQ(hosts({{"CONTROLLER_HOSTS", "192.0.2.1"}, {"CEPH_HOSTS", "192.0.2.9"}}),
            "Controller.0=192.0.2.1 CephStorage.0=192.0.2.9");
}

TEST(AgentHosts, MustBeThereForEveryRoleThatIsNamed) {
  EXPECT_THROW((void)agent_hosts({}), Error);
  EXPECT_THROW((void)agent_hosts({{"OVERCLOUD_ROLES", "A B"}, {"A_hosts", "192.0.2.1"}}), Error);
}

TEST(AgentConfig, IsTheFileThatAgentsRead) {
  const Json section = Json::parse(
      R"({"collectors": ["request", "local"], "request": {"metadata_url": "http://192.0.2.1:8080/v1/x?temp_url_sig=1&temp_url_expires=2"}})");
  EXPECT_EQ(
      agent_config_text(section),
      "[DEFAULT]\ncollectors=request\ncollectors=local\ncommand=os-refresh-config\npolling_interval=30\n\n[request]\n"
      "metadata_url=http://192.0.2.1:8080/v1/x?temp_url_sig=1&temp_url_expires=2\n");
  EXPECT_EQ(service_url(section), "http://192.0.2.1:8080/");
  EXPECT_EQ(service_url(Json::parse(R"({"collectors": ["heat"], "heat": {"auth_url": "http://h:5000/v3"}})")),
            "http://h:5000/");
}

}  // namespace
}  // namespace hearth::metadata::live
