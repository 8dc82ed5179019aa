// Previews, export and adoption, snapshots; and beside them what else the field's client asks for: the guide, software
// configs and deployments, filters.
#include "base/sql/database.hpp"
#include "tests/fakes/failing_connection.hpp"
#include "tests/unit/metadata/rest/rest_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

std::string stack(const std::string& name, const std::string& resources, const std::string& tags = "") {
  return cat(R"({"stack_name": ")", name, R"(", "tags": ")", tags, R"(", "template": {"resources": )", resources, "}}");
}

TEST_F(RestTest, PreviewsAStackAndAnUpdate) {
  const ServedResponse made = send("POST", "/v1/admin/stacks/preview", stack("s", k_nested));
  ASSERT_EQ(made.status, 200);
  EXPECT_EQ(Json::parse(made.body)["stack"]["resources"][0][0][1]["resource_name"], "d");
  EXPECT_EQ(send("GET", "/v1/admin/stacks/s").status, 404);
  send("POST", "/v1/admin/stacks", stack("s", R"({"a": {}})"));
  const ServedResponse again = send("POST", "/v1/admin/stacks/preview", stack("s", k_nested));
  EXPECT_EQ(again.status, 409) << "as in Heat: it could not be made";
  EXPECT_THAT(again.body, HasSubstr("The Stack (s) already exists."));
  const ServedResponse changes = send("PUT", self("s") + "/preview", stack("s", R"({"b": {}})"));
  ASSERT_EQ(changes.status, 200);
  const Json told = Json::parse(changes.body)["resource_changes"];
  EXPECT_EQ(told["added"][0]["resource_name"], "b");
  EXPECT_EQ(told["deleted"][0]["resource_identity"]["path"], "/resources/a");
  EXPECT_EQ(told["updated"].size(), 0U);
}

TEST_F(RestTest, PassesOnWhatIsToHappenAfterAFailure) {
  Json request = Json::parse(stack("s", R"({"a": {}})"));
  request["on_failure"] = "maybe";
  EXPECT_EQ(send("POST", "/v1/admin/stacks", request.dump()).status, 400);
  request["on_failure"] = "continue";
  EXPECT_EQ(send("POST", "/v1/admin/stacks", request.dump()).status, 201);
}

TEST_F(RestTest, ExportsAbandonsAndAdopts) {
  send("POST", "/v1/admin/stacks", stack("s", R"({"a": {}})"));
  EXPECT_EQ(get(self("s") + "/export")["resources"]["a"]["status"], "COMPLETE");
  const ServedResponse gone = send("DELETE", self("s") + "/abandon");
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(send("GET", "/v1/admin/stacks/s").status, 404);
  Json request = {{"stack_name", "s"}, {"adopt_stack_data", gone.body}};
  EXPECT_EQ(send("POST", "/v1/admin/stacks", request.dump()).status, 201);
  EXPECT_EQ(status("s"), "ADOPT_COMPLETE");
  request["adopt_stack_data"] = "{}";
  EXPECT_EQ(send("POST", "/v1/admin/stacks", request.dump()).status, 400);
}

TEST_F(RestTest, WhatIsOddInAnExportIsRefusedBeforeItIsKept) {
  send("POST", "/v1/admin/stacks", stack("s", R"({"s": {"role": "server"}})"));
  const Json whole = Json::parse(send("DELETE", self("s") + "/abandon").body);
  for (const char* odd :
       {R"({"hearth": 5})", R"({"hearth": {"data": 5}})", R"({"hearth": {"data": {"key": 5}}})",
        R"({"hearth": {"data": {"key": ""}}})", R"({"hearth": {"data": {"key": null}}})",
        R"({"hearth": {"data": {"key": "k", "machine": 5}}})", R"({"hearth": {"data": {"machine": {"address": []}}}})",
        R"({"hearth": {"data": {"former": {"key": {}}}}})", R"({"hearth": {"data": {"version": "x"}}})"}) {
    Json data = whole;
    data["resources"]["s"].update(Json::parse(odd));
    const Json request = {{"stack_name", "s"}, {"adopt_stack_data", data}};
    const ServedResponse answer = send("POST", "/v1/admin/stacks", request.dump());
    EXPECT_THAT(answer.body, testing::Not(HasSubstr("json.exception"))) << odd;
    if (answer.status == 201) {
      send("DELETE", self("s"));
      continue;
    }
    EXPECT_EQ(answer.status, 400) << odd;
    EXPECT_EQ(get("/v1/admin/stacks")["stacks"].size(), 0U) << odd;
    restart();
    EXPECT_EQ(get("/v1/admin/stacks")["stacks"].size(), 0U) << odd;
  }
  for (const char* key : {"files", "environment", "resources"}) {
    Json data = whole;
    data[key] = 5;
    EXPECT_EQ(send("POST", "/v1/admin/stacks", Json({{"stack_name", "s"}, {"adopt_stack_data", data}}).dump()).status,
              400);
  }
}

TEST_F(RestTest, KeepsSnapshots) {
  send("POST", "/v1/admin/stacks", stack("s", R"({"a": {}})"));
  const ServedResponse made = send("POST", self("s") + "/snapshots", R"({"name": "one"})");
  const std::string id = Json::parse(made.body)["snapshot"]["id"];
  EXPECT_EQ(get(self("s") + "/snapshots")["snapshots"][0]["name"], "one");
  EXPECT_EQ(get(cat(self("s"), "/snapshots/", id))["snapshot"]["data"]["resources"].size(), 1U);
  EXPECT_EQ(send("POST", cat(self("s"), "/snapshots/", id, "/restore")).status, 204);
  EXPECT_EQ(status("s"), "UPDATE_COMPLETE");
  EXPECT_EQ(send("DELETE", cat(self("s"), "/snapshots/", id)).status, 204);
  EXPECT_EQ(send("GET", cat(self("s"), "/snapshots/", id)).status, 404);
}

TEST_F(RestTest, CancelsMarksAndRefusesWithHeatsWords) {
  send("POST", "/v1/admin/stacks", stack("s", k_one_server));
  EXPECT_EQ(send("POST", self("s") + "/actions", R"({"cancel_update": null})").status, 400);
  EXPECT_EQ(send("POST", self("s") + "/actions", R"({"cancel_without_rollback": null})").status, 200);
  EXPECT_EQ(status("s"), "CREATE_FAILED");
  EXPECT_EQ(
      send("PATCH", self("s") + "/resources/s", R"({"mark_unhealthy": true, "resource_status_reason": "dead"})").status,
      200);
  EXPECT_EQ(get(self("s") + "/resources/s")["resource"]["resource_status_reason"], "dead");
  EXPECT_EQ(send("PATCH", self("s") + "/resources/s", "{}").status, 400);
}

TEST_F(RestTest, APatchClearsParametersBeforeItSetsThem) {
  send("POST", "/v1/admin/stacks", stack("s", R"({"v": {}})"));
  EXPECT_EQ(send("PATCH", self("s"), R"({"parameters": {"a": 1, "b": 2, "c": 3}})").status, 202);
  EXPECT_EQ(send("PATCH", self("s"), R"({"parameters": {"a": 5}, "clear_parameters": ["a", "b"]})").status, 202);
  EXPECT_EQ(engine_->find("s").live->tree.body["parameters"], (Json{{"c", 3}, {"a", 5}}));
  EXPECT_EQ(send("PATCH", self("s"), R"({"clear_parameters": ["c"]})").status, 202);
  EXPECT_EQ(engine_->find("s").live->tree.body["parameters"], (Json{{"a", 5}}));
}

TEST_F(RestTest, AnUpdateThatSaysNothingOfTimeKeepsWhatWasSaid) {
  Json body = parse_json(stack("s", R"({"v": {}})"), "body").value_or_throw();
  body["timeout_mins"] = "90";
  send("POST", "/v1/admin/stacks", body.dump());
  const auto minutes = [&] { return get(self("s"))["stack"]["timeout_mins"]; };
  EXPECT_EQ(minutes(), 90);
  body["timeout_mins"] = 0;
  EXPECT_EQ(send("PUT", self("s"), body.dump()).status, 202);
  EXPECT_EQ(minutes(), 90);
  body.erase("timeout_mins");
  EXPECT_EQ(send("PUT", self("s"), body.dump()).status, 202);
  EXPECT_EQ(minutes(), 90);
  EXPECT_EQ(send("PATCH", self("s"), R"({"timeout_mins": 30})").status, 202);
  EXPECT_EQ(minutes(), 30);
  for (const char* wrong : {"-1", "1.5", "true", "\"x\"", "[]", "99999999999"}) {
    const ServedResponse refused = send("PATCH", self("s"), cat("{\"timeout_mins\": ", wrong, "}"));
    EXPECT_EQ(refused.status, 400) << wrong;
    EXPECT_THAT(refused.body, HasSubstr("timeout_mins")) << wrong;
  }
  EXPECT_EQ(minutes(), 30);
}

TEST_F(RestTest, ATimeInATextIsATime) {
  Json body = parse_json(stack("s", k_one_server), "body").value_or_throw();
  body["timeout_mins"] = "90";
  send("POST", "/v1/admin/stacks", body.dump());
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
  EXPECT_EQ(engine_->find("s").live->tree.deadline - now, 90 * 60);
}

TEST_F(RestTest, GuidesThroughTheTemplateLanguage) {
  EXPECT_EQ(get("/v1/admin/resource_types")["resource_types"], Json::array({"A::One", "A::Two"}));
  EXPECT_EQ(get("/v1/admin/resource_types?name=Two")["resource_types"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/resource_types?with_description=True")["resource_types"][0]["description"], "the first");
  EXPECT_FALSE(get("/v1/admin/resource_types/A::One").contains("description"));
  EXPECT_TRUE(get("/v1/admin/resource_types/A::One/template?template_type=hot")["hot"]);
  EXPECT_EQ(get("/v1/admin/resource_types/A::Three"), 404);
  EXPECT_EQ(get("/v1/admin/template_versions")["template_versions"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/template_versions/v/functions?with_condition_func=True")["template_functions"][0], true);
  EXPECT_EQ(get("/v1/admin/template_versions/w/functions"), 404);
  EXPECT_THAT(send("POST", "/v1/admin/validate", R"({"template": {}, "show_nested": true})").body, HasSubstr("true"));
  const ServedResponse refused = send("POST", "/v1/admin/validate", R"({"template": {"refused": 1}})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("template:1:1"));
  EXPECT_EQ(get("/v1/admin/nonsense"), 404);
}

TEST_F(RestTest, KeepsSoftwareConfigsAndDeploymentsMadeByHand) {
  send("POST", "/v1/admin/stacks", stack("s", k_one_server));
  const std::string server = at("s", "s").physical_id;
  const ServedResponse made =
      send("POST", "/v1/admin/software_configs", R"({"name": "c", "group": "script", "config": "date"})");
  const std::string config = Json::parse(made.body)["software_config"]["id"];
  EXPECT_EQ(get("/v1/admin/software_configs")["software_configs"].size(), 2U);
  Json request = {{"config_id", config}, {"server_id", "nobody"}, {"status", "IN_PROGRESS"}, {"action", "UPDATE"}};
  EXPECT_EQ(send("POST", "/v1/admin/software_deployments", request.dump()).status, 404);
  request["server_id"] = server;
  const std::string id =
      Json::parse(send("POST", "/v1/admin/software_deployments", request.dump()).body)["software_deployment"]["id"];
  EXPECT_EQ(get("/v1/admin/software_deployments?server_id=" + server)["software_deployments"].size(), 2U);
  EXPECT_THAT(get("/v1/admin/software_deployments/metadata/" + server).dump(), HasSubstr("\"date\""));
  EXPECT_EQ(send("DELETE", "/v1/admin/software_configs/" + config).status, 403) << "it is in use";
  send("PUT", "/v1/admin/software_deployments/" + id, R"({"status": "COMPLETE", "output_values": {"a": 1}})");
  EXPECT_EQ(get("/v1/admin/software_deployments/" + id)["software_deployment"]["output_values"]["a"], 1);
  EXPECT_EQ(send("DELETE", "/v1/admin/software_deployments/" + at("s", "d1").physical_id).status, 403);
  EXPECT_EQ(send("DELETE", "/v1/admin/software_deployments/" + id).status, 204);
  EXPECT_EQ(send("DELETE", "/v1/admin/software_configs/" + config).status, 204);
  EXPECT_EQ(send("GET", "/v1/admin/software_configs/" + config).status, 404);
}

TEST_F(RestTest, ListsAreFilteredSortedAndPaged) {
  send("POST", "/v1/admin/stacks", stack("b", R"({"x": {"type": "T"}, "y": {}})", "blue,big"));
  send("POST", "/v1/admin/stacks", stack("a", "{}", "blue"));
  EXPECT_EQ(get("/v1/admin/stacks?sort_keys=name")["stacks"][0]["stack_name"], "a");
  EXPECT_EQ(get("/v1/admin/stacks?name=b")["stacks"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/stacks?status=COMPLETE")["stacks"].size(), 2U);
  EXPECT_EQ(get("/v1/admin/stacks?status=FAILED")["stacks"].size(), 0U);
  EXPECT_EQ(get("/v1/admin/stacks?tags=blue,big")["stacks"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/stacks?tags-any=big,small")["stacks"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/stacks?not-tags=blue,big")["stacks"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/stacks?not_tags_any=blue")["stacks"].size(), 0U);
  EXPECT_EQ(get(self("b") + "/resources?type=T")["resources"].size(), 1U);
  EXPECT_EQ(get(self("b") + "/events?resource_name=x&resource_status=COMPLETE")["events"].size(), 1U);
  EXPECT_EQ(get(self("b") + "/events?limit=2&sort_dir=asc")["events"].size(), 2U);
}

TEST_F(RestTest, ADeploymentByHandIsNotKeptWithoutAnotherVersionOfItsServersDocument) {
  for (std::size_t failing = 1;; ++failing) {
    SCOPED_TRACE(failing);
    engine_.reset();
    repository_.reset();
    for (const char* part : {"state.db", "state.db-wal", "state.db-shm"}) fs::remove(directory_.path() / part);
    fakes::StoreFaults faults;
    auto real = sql::detail::open_sqlite((directory_.path() / "state.db").string());
    repository_ = std::make_unique<SqlRepository>(
        sql::Database(std::make_unique<fakes::FailingConnection>(std::move(real), faults), false));
    engine_ = std::make_unique<Engine>(Engine::World{*repository_, maker_, clock_, log_}, PublicUrls{});
    const std::string id = create("by-hand", R"({"s": {"role": "server"}})");
    const std::string server = at("by-hand", "s").physical_id;
    const Json config =
        Json::parse(send("POST", "/v1/admin/software_configs", R"({"name": "c", "group": "script"})").body);
    const std::int64_t before = engine_->resource(id, "s")->metadata.modified;
    faults = {.calls = 0, .fails_at = failing};
    Json request = {{"server_id", server}, {"config_id", config["software_config"]["id"]}};
    bool failed = false;
    try {
      (void)send("POST", "/v1/admin/software_deployments", request.dump());
    } catch (const sql::StoreError&) {
      failed = true;
    }
    faults = {};
    restart();  // as a kill at this place leaves it
    const bool kept = !get("/v1/admin/software_deployments?server_id=" + server)["software_deployments"].empty();
    EXPECT_TRUE(!kept || engine_->resource(id, "s")->metadata.modified > before) << "pollers would never see it";
    if (!failed) {
      EXPECT_TRUE(kept);
      EXPECT_GT(failing, 2U);
      return;
    }
  }
}

}  // namespace
}  // namespace hearth::metadata::live
