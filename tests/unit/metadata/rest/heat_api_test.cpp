#include "metadata/rest/heat_api.hpp"

#include "tests/unit/metadata/rest/rest_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

const std::string k_request =
    cat(R"({"stack_name": "s1", "timeout_mins": 5, "tags": "a,b", "template": {"resources": )", k_nested, "}}");

TEST_F(RestTest, CreatesShowsUpdatesAndDeletesAStack) {
  const ServedResponse created = send("POST", "/v1/admin/stacks", k_request);
  EXPECT_EQ(created.status, 201);
  const std::string id = Json::parse(created.body)["stack"]["id"];
  EXPECT_EQ(find_header(created.headers, "Location"), cat("http://h:8004/v1/admin/stacks/s1/", id));
  const Json shown = get(self("s1"))["stack"];
  EXPECT_EQ(shown["stack_status"], "CREATE_IN_PROGRESS");
  EXPECT_EQ(shown["tags"], Json::array({"a", "b"}));
  EXPECT_EQ(get("/v1/admin/stacks")["stacks"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/stacks?show_nested=True")["stacks"].size(), 3U);
  EXPECT_EQ(send("PUT", self("s1"), k_request).status, 409);
  const StackPlace place = engine_->find("s1");
  (void)engine_->signal(place.live->tree.stack(2).id, "d", Json::object());
  EXPECT_EQ(send("PUT", self("s1"), k_request).status, 202);
  EXPECT_EQ(status("s1"), "UPDATE_COMPLETE");
  EXPECT_EQ(send("PATCH", self("s1"), R"({"parameters": {"a": 1}})").status, 202);
  EXPECT_EQ(get(self("s1") + "/template")["resources"], Json::parse(k_nested));
  EXPECT_EQ(send("DELETE", self("s1")).status, 204);
  EXPECT_EQ(send("GET", "/v1/admin/stacks/s1").status, 404);
}

TEST_F(RestTest, RedirectsFromNamesAndIdsToBoth) {
  send("POST", "/v1/admin/stacks", k_request);
  const std::string id = engine_->find("s1").live->tree.id;
  const ServedResponse by_name = send("DELETE", "/v1/admin/stacks/s1");
  EXPECT_EQ(by_name.status, 302);
  EXPECT_EQ(find_header(by_name.headers, "Location"), cat("http://h:8004/v1/admin/stacks/s1/", id));
  EXPECT_EQ(find_header(send("GET", cat("/v1/admin/stacks/", id, "/resources?nested_depth=5")).headers, "Location"),
            cat("http://h:8004/v1/admin/stacks/s1/", id, "/resources?nested_depth=5"));
  EXPECT_EQ(send("GET", cat("/v1/admin/stacks/arn:openstack:heat::admin:stacks%2Fs1%2F", id)).status, 302);
}

TEST_F(RestTest, RefusesInHeatsForm) {
  EXPECT_EQ(send("GET", "/v1/admin/stacks", "", "wrong").status, 401);
  EXPECT_EQ(send("POST", "/v1/admin/stacks", "{").status, 400);
  EXPECT_EQ(send("POST", "/v1/admin/stacks", "[]").status, 400);
  EXPECT_EQ(send("POST", "/v1/admin/stacks", R"({"stack_name": 5, "template": {}})").status, 400);
  EXPECT_THAT(send("POST", "/v1/admin/stacks", R"({"stack_name": "x"})").body, HasSubstr("No template specified"));
  EXPECT_THAT(send("GET", "/v1/admin/stacks/nope").body, HasSubstr("The Stack (nope) could not be found."));
  send("POST", "/v1/admin/stacks", k_request);
  EXPECT_EQ(send("POST", "/v1/admin/stacks", k_request).status, 409);
  EXPECT_EQ(send("GET", replace_all(self("s1"), "/admin/", "/other/")).status, 403);
  EXPECT_EQ(send("POST", self("s1") + "/actions", R"({"dance": null})").status, 400);
  EXPECT_EQ(send("GET", "/").status, 300);
}

TEST_F(RestTest, RefusesWhatHasNotTheFormThatIsExpected) {
  const auto with = [&](const std::string& more) {
    return send("POST", "/v1/admin/stacks",
                cat(R"({"stack_name": "odd", "template": {"resources": )", k_nested, "}, ", more, "}"));
  };
  for (const char* odd :
       {R"("files": 5)", R"("files": [])", R"("parameters": [])", R"("tags": {})", R"("disable_rollback": "maybe")",
        R"("disable_rollback": 1)", R"("environment_files": 5)", R"("environment_files": [5])"}) {
    EXPECT_EQ(with(odd).status, 400) << odd;
  }
  EXPECT_EQ(with(cat(R"("tags": ")", std::string(81, 'x'), "\"")).status, 400);
  const ServedResponse unnamed = send("POST", "/v1/admin/stacks", R"({"stack_name": null, "template": {}})");
  EXPECT_THAT(unnamed.body, HasSubstr("No stack name specified"));
  EXPECT_THAT(send("POST", "/v1/admin/stacks", R"({"stack_name": 5, "template": {}})").body,
              HasSubstr("Invalid stack name 5, must be a string"));
  EXPECT_EQ(with(R"("disable_rollback": "False", "tags": null, "files": null)").status, 201);
  EXPECT_EQ(get(self("odd"))["stack"]["disable_rollback"], false);
}

TEST_F(RestTest, PagesTheList) {
  for (const char* name : {"a", "b", "c"}) create(name, "{}");
  const Json first = get("/v1/admin/stacks?limit=2")["stacks"];
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0]["stack_name"], "c");
  const Json rest = get(cat("/v1/admin/stacks?limit=2&marker=", first[1]["id"].get<std::string>()))["stacks"];
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0]["stack_name"], "a");
}

TEST_F(RestTest, WhatIsNoNumberOfEntriesIsRefusedInHeatsWords) {
  create("a", "{}");
  for (const char* list : {"/v1/admin/stacks", "/v1/admin/stacks/a/events", "/v1/admin/software_configs"}) {
    const std::string target = std::string_view(list).ends_with("events") ? self("a") + "/events" : std::string(list);
    for (const auto& [limit, words] : std::vector<std::pair<std::string, std::string>>{
             {"-1", "Value '-1' is invalid for 'limit' which only accepts non-negative integer."},
             {"1e400", "Only integer is acceptable by 'limit'."},
             {"", "Only integer is acceptable by 'limit'."},
             {"-", "Only integer is acceptable by 'limit'."},
             {"007", "Only integer is acceptable by 'limit'."},
             {"99999999999999999999", "Value '99999999999999999999' is invalid for 'limit'"}}) {
      const ServedResponse refused = send("GET", cat(target, "?limit=", limit));
      EXPECT_EQ(refused.status, 400) << target << " " << limit;
      EXPECT_THAT(refused.body, HasSubstr(words));
    }
    for (const char* limit : {"0", "1", "9223372036854775807"})
      EXPECT_EQ(send("GET", cat(target, "?limit=", limit)).status, 200) << limit;
  }
  EXPECT_EQ(send("GET", self("a") + "/resources?nested_depth=x").status, 400);
}

TEST_F(RestTest, AValueOfAnotherKindIsNamedAndNeverKept) {
  create("s1", k_one_server);
  for (const auto& [method, target, text, words] : std::vector<std::array<std::string, 4>>{
           {"PUT", self("s1") + "/resources/s/machine", R"({"address": 5})", "address is a text, not 5"},
           {"PUT", self("s1") + "/resources/s/machine", R"({"address": "192.0.2.1", "networks": []})",
            "networks is a map, not []"},
           {"POST", "/v1/admin/software_configs", R"({"config": 5})", "config is a text or a map"},
           {"POST", "/v1/admin/software_configs", R"({"inputs": ["a"]})", "inputs is a list of maps"},
           {"POST", "/v1/admin/software_configs", R"({"options": 5})", "options is a map, not 5"},
           {"POST", "/v1/admin/software_deployments", R"({"input_values": []})", "input_values is a map, not []"},
           {"POST", "/v1/admin/software_configs", R"({"name": 5})", "name is a text, not 5"},
           {"POST", "/v1/admin/software_configs", R"({"group": []})", "group is a text, not []"},
           {"POST", "/v1/admin/software_deployments", R"({"server_id": {}})", "server_id is a text, not {}"},
           {"POST", self("s1") + "/actions", "[]", "not a JSON object"}}) {
    const ServedResponse refused = send(method, target, text);
    EXPECT_EQ(refused.status, 400) << target;
    EXPECT_THAT(refused.body, HasSubstr(words));
    EXPECT_THAT(refused.body, testing::Not(HasSubstr("json.exception")));
  }
  EXPECT_EQ(get("/v1/admin/software_configs")["software_configs"].size(), 1U) << "that of the stack";
}

TEST_F(RestTest, RequestsAreLessDeepThanWhatIsKept) {
  create("s1", k_one_server);
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  const auto machine = [&](std::size_t levels) {
    return send("PUT", self("s1") + "/resources/s/machine",
                cat(R"({"address": "192.0.2.5", "x": )", nested(levels), "}"));
  };
  const auto signal = [&](std::size_t levels) {
    return send("POST", self("s1") + "/resources/d1/signal", cat(R"({"result": )", nested(levels), "}"));
  };
  EXPECT_EQ(machine(256).status, 400);
  EXPECT_THAT(signal(256).body, HasSubstr("nested deeper than 256 levels"));
  EXPECT_EQ(machine(255).status, 200);
  EXPECT_EQ(signal(255).status, 200);
  EXPECT_EQ(send("POST", self("s1") + "/snapshots", "{}").status, 409) << "it runs";
  restart();
  EXPECT_TRUE(engine_->set_aside().empty());
  EXPECT_EQ(engine_->trees().size(), 1U);
}

TEST_F(RestTest, ShowsOutputsAndActs) {
  create("s1", k_one_server);
  (void)engine_->signal(engine_->find("s1").live->tree.id, "d1", Json::parse(R"({"result": "42"})"));
  EXPECT_EQ(get(self("s1") + "/outputs")["outputs"][0]["output_key"], "d1");
  EXPECT_EQ(get(self("s1") + "/outputs/d1")["output"]["output_value"]["result"], "42");
  EXPECT_EQ(get(self("s1") + "/outputs/none"), 404);
  create("s2", R"({"a": {}})");
  EXPECT_EQ(send("POST", self("s2") + "/actions", R"({"suspend": null})").status, 200);
  EXPECT_EQ(status("s2"), "SUSPEND_COMPLETE");
}

TEST_F(RestTest, ProjectsKnowNothingOfEachOther) {
  const std::string made = R"({"stack_name": "same", "template": {"resources": {"s": {"role": "server"}}}})";
  ASSERT_EQ(send("POST", "/v1/one/stacks", made).status, 201);
  ASSERT_EQ(send("POST", "/v1/two/stacks", made).status, 201) << "a name is taken in its own project only";
  EXPECT_EQ(send("POST", "/v1/one/stacks", made).status, 409);
  EXPECT_EQ(get("/v1/one/stacks")["stacks"].size(), 1U);
  const std::string id = engine_->find("same", "two").live->tree.id;
  EXPECT_NE(engine_->find("same", "one").live->tree.id, id);
  EXPECT_EQ(send("GET", cat("/v1/one/stacks/same/", id)).status, 403);
  EXPECT_EQ(send("GET", cat("/v1/one/stacks/", id)).status, 403);
  EXPECT_EQ(send("GET", "/v1/three/stacks/same").status, 404);

  const std::string config =
      Json::parse(send("POST", "/v1/one/software_configs", R"({"name": "c"})").body)["software_config"]["id"];
  EXPECT_EQ(get("/v1/two/software_configs")["software_configs"].size(), 0U);
  EXPECT_EQ(get("/v1/one/software_configs")["software_configs"].size(), 1U);
  EXPECT_EQ(send("GET", cat("/v1/two/software_configs/", config)).status, 404);
  const std::string server = at_in("two", "same", "s").physical_id;
  const auto deploy = [&](const std::string& project) {
    return send("POST", cat("/v1/", project, "/software_deployments"),
                cat(R"({"config_id": ")", config, R"(", "server_id": ")", server, R"("})"))
        .status;
  };
  EXPECT_EQ(deploy("one"), 404) << "its config, but not its server";
  EXPECT_EQ(deploy("two"), 404) << "its server, but not its config";
  EXPECT_EQ(get(cat("/v1/one/software_deployments/metadata/", server)), Json(404));
}

TEST_F(RestTest, TokensOpenWhatTheirRoleAndProjectSay) {
  ASSERT_EQ(create("st", k_one_server).size(), 36U);
  const std::string reader = add_token(directory_.path(), {"r", Right::reads, "admin", 0, ""}, 1);
  const std::string worker = add_token(directory_.path(), {"w", Right::works, "admin", 0, ""}, 1);
  const std::string stranger = add_token(directory_.path(), {"x", Right::works, "other", 0, ""}, 1);
  tokens_.refresh(log_);
  const std::string stack = self("st");
  for (const std::string& target : {std::string("/v1/admin/stacks"), stack, stack + "/events", stack + "/resources",
                                    stack + "/outputs", stack + "/resources/s/events"}) {
    EXPECT_EQ(send("GET", target, "", reader).status, 200) << target;
    EXPECT_EQ(send("GET", target, "", stranger).status, 403) << target;
  }
  for (const char* closed :
       {"/export", "/environment", "/template", "/files", "/servers", "/snapshots", "/resources/s/metadata"}) {
    EXPECT_EQ(send("GET", stack + closed, "", reader).status, 403) << closed;
  }
  EXPECT_EQ(send("GET", "/v1/admin/software_configs", "", reader).status, 403);
  EXPECT_EQ(send("GET", stack + "/resources/s", "", reader).body.find("secret_access_key"), std::string::npos);
  EXPECT_NE(send("GET", stack + "/resources/s", "", worker).body.find("secret_access_key"), std::string::npos);
  EXPECT_EQ(send("DELETE", stack, "", reader).status, 403);
  EXPECT_EQ(send("POST", "/v1/admin/stacks/preview", "{}", reader).status, 403);
  EXPECT_EQ(send("DELETE", stack, "", stranger).status, 403);
  const ServedResponse gone = send("DELETE", stack, "", worker);
  EXPECT_EQ(gone.status, 204);
  EXPECT_EQ(gone.principal, "token w");
  EXPECT_EQ(send("GET", "/v1/admin/stacks", "", "no token").status, 401);
}

TEST_F(RestTest, AQuestionChangesNothingAndBringsNothingWhateverItsBodySays) {
  create("st", k_one_server);
  const std::string reader = add_token(directory_.path(), {"r", Right::reads, "admin", 0, ""}, 1);
  tokens_.refresh(log_);
  const std::string stack = self("st");
  for (const std::string& token : {reader, std::string("admin-token")}) {
    for (const char* method : {"GET", "HEAD"}) {
      EXPECT_EQ(send(method, stack + "/actions", R"({"suspend": null})", token).status, 405) << method;
      EXPECT_EQ(send(method, stack + "/preview", R"({"template": {}})", token).status, 405) << method;
    }
  }
  EXPECT_EQ(send("GET", stack + "/resources/d1/signal", R"({"deploy_status_code": 0})").status, 405);
  EXPECT_EQ(status("st"), "CREATE_IN_PROGRESS");
  EXPECT_EQ(at("st", "d1").status, Status::in_progress);
}

/// An agent's token is for its own resource; to have a template evaluated is not that.
TEST_F(RestTest, AgentsMayNotHaveTemplatesEvaluated) {
  create("st", k_one_server);
  const std::string key = at("st", "d1").deployment.key_id;
  const std::string token = agent_token(key, engine_->access_key(key)->secret, 9'000'000'000);
  EXPECT_EQ(send("POST", "/v1/admin/stacks/preview", R"({"stack_name": "x", "template": {}})", token).status, 403);
}

TEST_F(RestTest, RefusesBeforeABodyIsRead) {
  HeatApi api(*engine_, guide_, {&tokens_, false}, clock_, log_);
  ServedRequest head;
  head.method = "POST";
  head.target = head.path = head.raw_path = "/v1/admin/stacks";
  ASSERT_TRUE(api.admit(head).refusal);
  EXPECT_EQ(api.admit(head).refusal->status, 401);
  head.headers = {{"X-Auth-Token", "admin-token"}};
  EXPECT_FALSE(api.admit(head).refusal);
}

}  // namespace
}  // namespace hearth::metadata::live
