#include "metadata/live/agent_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_http.hpp"
#include "tests/fakes/scripted_runner.hpp"

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

/// A stack "site" with one server in its role Web.
void answer_for_site(fakes::ScriptedHttp& http) {
  const std::string api = "http://192.0.2.1:8004/v1/admin";
  const auto get = [&](const std::string& path, const std::string& body) { http.on("GET", api + path, 200, body); };
  for (const char* name : {"site", "g", "m"}) {
    get(cat("/stacks/", name, "?resolve_outputs=False"),
        cat(R"({"stack": {"stack_name": ")", name, R"(", "id": "1"}})"));
  }
  get("/stacks/site/1/resources/Web", R"({"resource": {"physical_resource_id": "g"}})");
  get("/stacks/g/1/resources?nested_depth=5", R"({"resources": [{"resource_name": "0", "physical_resource_id": "m",
      "links": [{"href": ""}, {"href": "/stacks/g/1"}]}]})");
  get("/stacks/m/1/resources?nested_depth=5", R"({"resources": [{"resource_type": "OS::Heat::DeployedServer",
      "links": [{"href": "/stacks/m/1/resources/s"}]}]})");
  get("/stacks/m/1/resources/s/metadata", R"({"metadata": {"os-collect-config": {"collectors": ["cfn"],
      "cfn": {"metadata_url": "https://192.0.2.1:8000/v1/"}}}})");
  http.on("PUT", api + "/stacks/m/1/resources/s/machine", 200, "{}");
}

TEST(AgentConfig, TakesTheServicesAuthorityAlongAndHasTheServerCheckByIt) {
  fakes::ScriptedHttp http;
  answer_for_site(http);
  fakes::ScriptedRunner runner;
  runner.on("ssh", 0);
  fakes::ManualClock clock;
  StackClient client(http, clock, {"http://192.0.2.1:8004/v1/admin", "token"});
  const AgentConfigWorld world{client, runner, clock, {{"OVERCLOUD_ROLES", "Web"}, {"Web_hosts", "192.0.2.9"}}};
  ASSERT_EQ(run_agent_config({"site", true, "", "", "PEM of it"}, world), 0);
  ASSERT_EQ(runner.ran.size(), 3U);
  EXPECT_THAT(runner.ran[0].argv.back(), testing::EndsWith("cat >/etc/hearth/authority.pem.new'"));
  EXPECT_EQ(runner.ran[0].input, "PEM of it");
  EXPECT_THAT(runner.ran[1].argv.back(), testing::HasSubstr("curl -sS -o /dev/null --max-time 10 --cacert "
                                                            "/etc/hearth/authority.pem.new "));
  EXPECT_THAT(runner.ran[2].argv.back(),
              testing::HasSubstr(" && mv /etc/hearth/authority.pem.new /etc/hearth/authority.pem && "))
      << "only where the service was reached by it";
  EXPECT_THAT(runner.ran[2].input.value_or(""), testing::HasSubstr("ca_certificate=/etc/hearth/authority.pem\n"));
  runner.ran.clear();
  ASSERT_EQ(run_agent_config({"site", true, "", "", ""}, world), 0);
  ASSERT_EQ(runner.ran.size(), 2U);
  EXPECT_THAT(runner.ran[1].input.value_or(""), testing::Not(testing::HasSubstr("ca_certificate")));
  EXPECT_THAT(runner.ran[1].argv.back(), testing::Not(testing::HasSubstr("authority")));
}

}  // namespace
}  // namespace hearth::metadata::live
