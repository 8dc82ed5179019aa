#include "tests/unit/metadata/rest/rest_fixture.hpp"

namespace hearth::metadata::live {
namespace {

TEST_F(RestTest, AnAgentSaysHowItsOwnRunsGo) {
  create("s1", k_one_server);
  const std::string report = R"({"state": "failed", "step": "20-net", "why": "no ip"})";
  const std::string key = at("s1", "s").data.key;
  const std::string token = agent_token(key, engine_->access_key(key)->secret, 99999);
  EXPECT_EQ(send("POST", self("s1") + "/resources/s/run", report).status, 403) << "no person's";
  EXPECT_EQ(send("POST", self("s1") + "/resources/d1/run", report, token).status, 403) << "not another's";
  EXPECT_EQ(send("GET", self("s1") + "/resources/s/run", "", token).status, 400);
  EXPECT_EQ(send("POST", self("s1") + "/resources/s/run", "{}", token).status, 400);
  EXPECT_EQ(send("POST", self("s1") + "/resources/s/run", report, token).status, 200);
  EXPECT_EQ(engine_->last_run(at("s1", "s").physical_id)->step, "20-net");
}

TEST_F(RestTest, ListsResourcesDownToADepth) {
  create("s1", k_nested);
  EXPECT_EQ(get(self("s1") + "/resources")["resources"].size(), 1U);
  EXPECT_EQ(get(self("s1") + "/resources?nested_depth=1")["resources"].size(), 2U);
  EXPECT_EQ(get(self("s1") + "/resources?nested_depth=5")["resources"].size(), 4U);
}

TEST_F(RestTest, OthersAreServedWhileALongListIsMade) {
  Json resources = Json::object();
  for (int i = 0; i < 700; ++i) resources[cat("r", i)] = {{"type", "OS::Heat::Value"}};
  create("s1", resources.dump());
  std::size_t breaths = 0;
  engine_->set_breath([&] { ++breaths; });
  const auto breaths_of = [&](const std::string& target) {
    breaths = 0;
    EXPECT_NE(get(target), 404);
    return breaths;
  };
  EXPECT_GE(breaths_of(self("s1") + "/resources"), 700U);
  EXPECT_GE(breaths_of(self("s1") + "/events"), 1400U);
  EXPECT_GE(breaths_of("/v1/admin/stacks?show_nested=true"), 1U);
  const Json events = get(self("s1") + "/events")["events"];
  ASSERT_EQ(events.size(), 1402U) << "of more than one page";
  std::set<std::string> ids;
  for (const Json& event : events) ids.insert(event["id"].get<std::string>());
  EXPECT_EQ(ids.size(), events.size());
  EXPECT_EQ(events.front()["resource_status"], "CREATE_COMPLETE");
  EXPECT_EQ(events.back()["resource_status"], "CREATE_IN_PROGRESS");
  EXPECT_EQ(get(self("s1") + "/events?sort_dir=asc&limit=3")["events"][0],
            get(self("s1") + "/events?limit=2000")["events"].back());
}

TEST_F(RestTest, ShowsAServersMetadataAndTakesSignals) {
  create("s1", k_nested);
  const StackTree& tree = engine_->find("s1").live->tree;
  const std::string node = cat("/v1/admin/stacks/", tree.stack(2).name, "/", tree.stack(2).id);
  EXPECT_EQ(get(node + "/resources/s/metadata")["metadata"]["deployments"].size(), 1U);
  EXPECT_EQ(get(node + "/resources/d")["resource"]["attributes"]["status"], "IN_PROGRESS");
  const ServedResponse signalled = send("POST", node + "/resources/d/signal", R"({"deploy_status_code": 0})");
  EXPECT_EQ(signalled.status, 200);
  EXPECT_EQ(signalled.body, "null");
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE");
  EXPECT_EQ(send("POST", node + "/resources/d/signal", "[]").status, 400);
  EXPECT_EQ(send("POST", node + "/resources/s/signal", "{}").status, 400);
  EXPECT_EQ(get(node + "/resources/nope"), 404);
}

TEST_F(RestTest, EventsComeNewestFirstOrFromAMarkerOn) {
  create("s1", k_nested);
  EXPECT_EQ(get(self("s1") + "/events")["events"].back()["resource_status_reason"], "Stack CREATE started");
  const Json all = get(self("s1") + "/events?nested_depth=5&sort_dir=asc")["events"];
  EXPECT_EQ(all[0]["links"][3]["rel"], "root_stack");
  EXPECT_EQ(all[1]["resource_name"], "g");
  const std::string marker = all[1]["id"];
  const Json rest = get(self("s1") + "/events?nested_depth=5&sort_dir=asc&marker=" + marker)["events"];
  EXPECT_EQ(rest.size(), all.size() - 2);
  EXPECT_EQ(get(self("s1") + "/events?nested_depth=5&sort_dir=asc&limit=1")["events"].size(), 1U);
  EXPECT_EQ(get(self("s1") + "/resources/g/events")["events"].size(), 1U);
  const std::string event = get(self("s1") + "/resources/g/events")["events"][0]["id"];
  EXPECT_EQ(get(self("s1") + "/resources/g/events/" + event)["event"]["resource_type"], "OS::Heat::ResourceGroup");
  EXPECT_EQ(get(self("s1") + "/resources/x/events/" + event), 404);
}

TEST_F(RestTest, ShowsSoftwareDeploymentsAndWhatAServerGets) {
  create("s1", k_nested);
  const Json list = get("/v1/admin/software_deployments")["software_deployments"];
  ASSERT_EQ(list.size(), 1U);
  const std::string id = list[0]["id"];
  const std::string server = list[0]["server_id"];
  EXPECT_EQ(get("/v1/admin/software_deployments/" + id)["software_deployment"]["status"], "IN_PROGRESS");
  EXPECT_EQ(get("/v1/admin/software_deployments/metadata/" + server)["metadata"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/software_deployments?server_id=other")["software_deployments"].size(), 0U);
  EXPECT_EQ(get("/v1/admin/software_deployments/nope"), 404);
  EXPECT_EQ(get("/v1/admin/software_configs")["software_configs"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/build_info")["api"].size(), 1U);
}

}  // namespace
}  // namespace hearth::metadata::live
