#include "bootstrap/api/ironic_api.hpp"

#include "bootstrap/handover/handover.hpp"
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class Api : public ConductorFixture {
 protected:
  struct Said {
    int status = 0;
    Json body;
    HttpHeaders headers;
    [[nodiscard]] std::string fault() const {
      return Json::parse(body.value("error_message", "{}")).value("faultstring", "");
    }
  };

  Said ask(const std::string& method, const std::string& target, const Json& body = Json(),
           const std::string& version = "1.78", const std::string& peer = "127.0.0.1", const ApiPolicy& policy = {},
           const HttpHeaders& more = {}) {
    IronicApi api(*conductor, policy, log);
    ServedRequest request;
    request.method = method;
    request.target = target;
    const RequestTarget parts = parse_request_target(target).value();
    request.path = parts.path;
    request.raw_path = parts.raw_path;
    request.query = parts.query;
    request.headers = more;
    request.headers.emplace_back("Host", "192.0.2.1:6385");
    if (!version.empty()) request.headers.emplace_back("X-OpenStack-Ironic-API-Version", version);
    request.peer = peer;
    request.body = body.is_null() ? "" : body.dump();
    const ServedResponse response = api.answer(request);
    return {response.status, response.body.empty() ? Json() : Json::parse(response.body), response.headers};
  }
};

TEST_F(Api, aNodeIsMadeShownChangedAndDeleted) {
  const Said made = ask("POST", "/v1/nodes", {{"driver", "fake-hardware"}, {"name", "web1"}});
  EXPECT_EQ(made.status, 201);
  const std::string uuid = made.body["uuid"];
  EXPECT_EQ(made.body["provision_state"], "enroll");
  EXPECT_EQ(find_header(made.headers, "location"), cat("http://192.0.2.1:6385/v1/nodes/", uuid));
  EXPECT_EQ(ask("POST", "/v1/nodes", {{"driver", "fake-hardware"}, {"name", "web1"}}).status, 409);
  EXPECT_EQ(ask("POST", "/v1/nodes", {{"driver", "none"}}).status, 400);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1").body["uuid"], uuid);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1?fields=name,driver").body.size(), 3U);
  EXPECT_EQ(ask("GET", "/v1/nodes/52:54:00:00:00:01").fault(), "Node 52:54:00:00:00:01 could not be found.");
  EXPECT_EQ(ask("PATCH", "/v1/nodes/web1", Json::parse(R"([{"op": "add", "path": "/extra/a", "value": 1}])"))
                .body["extra"]["a"],
            1);
  EXPECT_EQ(ask("DELETE", "/v1/nodes/web1").status, 204);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1").status, 404);
}

TEST_F(Api, listsAreFilteredSortedAndCutIntoPages) {
  for (const char* n : {"1", "2", "3"}) add("fake-hardware", cat("52:54:00:00:00:0", n), cat("n", n));
  const Said all = ask("GET", "/v1/nodes/?sort_key=name&sort_dir=desc");
  ASSERT_EQ(all.body["nodes"].size(), 3U);
  EXPECT_EQ(all.body["nodes"][0]["name"], "n3");
  const Said page = ask("GET", "/v1/nodes?sort_key=name&limit=2");
  EXPECT_EQ(page.body["nodes"].size(), 2U);
  EXPECT_TRUE(page.body.contains("next"));
  const std::string marker = page.body["nodes"][1]["uuid"];
  EXPECT_EQ(ask("GET", cat("/v1/nodes?sort_key=name&limit=2&marker=", marker)).body["nodes"][0]["name"], "n3");
  EXPECT_EQ(ask("GET", "/v1/nodes?provision_state=active").body["nodes"].size(), 0U);
  EXPECT_EQ(ask("GET", "/v1/nodes?driver=fake-hardware&associated=False&maintenance=False").body["nodes"].size(), 3U);
  EXPECT_TRUE(ask("GET", "/v1/nodes/detail").body["nodes"][0].contains("driver_info"));
  EXPECT_EQ(ask("GET", "/v1/nodes?fields=colour").status, 400);
}

TEST_F(Api, verbsPowerMaintenanceTraitsAndBootDevice) {
  const std::string uuid = add("fake-hardware");
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/provision", {{"target", "inspect"}}).status, 400);
  const Said going = ask("PUT", "/v1/nodes/web1/states/provision", {{"target", "active"}});
  EXPECT_EQ(going.status, 202);
  EXPECT_FALSE(find_header(going.headers, "content-type"));
  EXPECT_EQ(find_header(going.headers, "location"), "http://192.0.2.1:6385/v1/nodes/web1/states");
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/states").body["target_provision_state"], "active");
  EXPECT_EQ(ask("PATCH", "/v1/nodes/web1", Json::array()).status, 409);
  EXPECT_EQ(ask("DELETE", "/v1/nodes/web1").status, 409);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/maintenance", {{"reason", "fan"}}).status, 202);
  EXPECT_EQ(node(uuid).maintenance_reason, "fan");
  EXPECT_EQ(ask("DELETE", "/v1/nodes/web1/maintenance").status, 202);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/traits/CUSTOM_A").status, 204);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/traits/bad").status, 400);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/traits").body["traits"][0], "CUSTOM_A");
  EXPECT_EQ(ask("DELETE", "/v1/nodes/web1/traits/CUSTOM_B").status, 404);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/management/boot_device", {{"boot_device", "pxe"}}).status, 204);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/management/boot_device").body["boot_device"], "pxe");
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/management/boot_device/supported").body["supported_boot_devices"][0], "pxe");
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/validate").body["power"]["result"], true);
  EXPECT_GE(ask("GET", "/v1/nodes/web1/history").body["history"].size(), 1U);
}

TEST_F(Api, portsAreUniqueAcrossNodes) {
  const std::string uuid = add("fake-hardware");
  EXPECT_EQ(ask("POST", "/v1/ports", {{"address", "52:54:00:00:00:01"}, {"node_uuid", uuid}}).fault(),
            "A port with MAC address 52:54:00:00:00:01 already exists.");
  EXPECT_EQ(ask("POST", "/v1/ports", {{"address", "zz"}, {"node_uuid", uuid}}).fault(),
            "Expected valid MAC address for address: zz");
  const Said made = ask("POST", "/v1/ports", {{"address", "52:54:00:00:00:0A"}, {"node_uuid", uuid}});
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(ask("GET", "/v1/ports?address=52:54:00:00:00:0a").body["ports"].size(), 1U);
  EXPECT_EQ(ask("GET", cat("/v1/ports/detail?node=", uuid)).body["ports"].size(), 2U);
  EXPECT_EQ(ask("DELETE", cat("/v1/ports/", text_in(made.body, "uuid"))).status, 204);
  EXPECT_EQ(ask("GET", cat("/v1/nodes/", uuid, "/ports")).body["ports"].size(), 1U);
}

TEST_F(Api, versionsAreNegotiatedAsTheClientExpects) {
  const Said refused = ask("GET", "/v1/nodes", Json(), "1.99");
  EXPECT_EQ(refused.status, 406);
  EXPECT_EQ(find_header(refused.headers, "x-openstack-ironic-api-maximum-version"), "1.82");
  EXPECT_EQ(ask("GET", "/v1", Json(), "").status, 200);
  EXPECT_EQ(ask("GET", "/", Json(), "").body["default_version"]["version"], "1.82");
  EXPECT_EQ(ask("GET", "/v2").status, 404);
}

TEST_F(Api, peopleNeedATokenFromElsewhereAndMachinesSeeOnlyWhatIsTheirs) {
  const ApiPolicy policy{"secret", true, false};
  EXPECT_EQ(ask("GET", "/v1/nodes", Json(), "1.78", "192.0.2.5", policy).status, 401);
  EXPECT_EQ(ask("GET", "/v1/nodes", Json(), "1.78", "192.0.2.5", policy, {{"X-Auth-Token", "secret"}}).status, 200);
  EXPECT_EQ(
      ask("GET", "/v1/nodes", Json(), "1.78", "192.0.2.5", policy, {{"Authorization", "Basic YTpzZWNyZXQ="}}).status,
      200);
  EXPECT_EQ(ask("GET", "/v1/lookup?addresses=52:54:00:00:00:01", Json(), "1.78", "192.0.2.5", policy).fault(),
            "Resource could not be found.");
  EXPECT_EQ(ask("GET", "/v1/nodes", Json(), "1.78", "127.0.0.1", {"", false, true}).status, 404);
}

TEST_F(Api, theAgentsWayThroughLookUpHeartbeatAndInspection) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  const Said found =
      ask("GET", "/v1/lookup?addresses=52%3A54%3A00%3A00%3A00%3A01%2C52:54:00:00:00:02", Json(), "1.62", "192.0.2.9");
  EXPECT_EQ(found.status, 200);
  const Json beat = {{"callback_url", "http://192.0.2.9:9999"}, {"agent_token", found.body["config"]["agent_token"]}};
  EXPECT_EQ(ask("POST", cat("/v1/heartbeat/", uuid), beat, "1.68", "192.0.2.9").status, 202);
  EXPECT_EQ(ask("POST", cat("/v1/heartbeat/", uuid), {{"callback_url", "x"}}, "1.68").fault(),
            "Invalid or missing agent token received.");
  EXPECT_EQ(ask("POST", "/v1/continue_inspection", Json::object()).status, 404);
}

TEST_F(Api, inspectorsPathsAndOurOwn) {
  const std::string uuid = add("manual-management");
  set_state(uuid, State::manageable);
  EXPECT_EQ(ask("GET", "/v1/introspection/web1").status, 404);
  EXPECT_EQ(ask("POST", "/v1/introspection/web1").status, 202);
  pass(2);
  EXPECT_EQ(ask("GET", "/v1/introspection/web1").body["state"], "waiting");
  EXPECT_EQ(ask("GET", "/v1/hearth/instructions").body["instructions"].size(), 1U);
  EXPECT_EQ(ask("POST", "/v1/introspection/web1/abort").status, 202);
  EXPECT_EQ(ask("GET", "/v1/introspection").body["introspection"][0]["finished"], true);
  EXPECT_EQ(ask("GET", "/v1/introspection/web1/data").status, 404);
  const Said imported =
      ask("POST", "/v1/hearth/import", {{"text", R"([{"pm_type": "x"}])"}, {"format", "json"}, {"source", "f.json"}});
  EXPECT_EQ(imported.status, 422);
  EXPECT_NE(text_in(imported.body, "faults").find("f.json:1:14"), std::string::npos) << imported.body;
  EXPECT_EQ(ask("PUT", "/v1/hearth/images/web", {{"kernel", "k"}}).status, 204);
  EXPECT_EQ(ask("GET", "/v1/hearth/images").body["images"][0]["name"], "web");
  EXPECT_EQ(ask("DELETE", "/v1/hearth/images/web").status, 204);
  EXPECT_EQ(ask("GET", "/v1/hearth/export").body["nodes"].size(), 1U);
  EXPECT_GE(ask("GET", "/v1/hearth/events?limit=2").body["events"].size(), 2U);
  EXPECT_EQ(ask("POST", "/v1/hearth/configure_boot", {{"kernel", "k"}, {"ramdisk", "r"}}).status, 200);
  EXPECT_EQ(ask("GET", "/v1/drivers").body["drivers"].size(), 2U);
  EXPECT_EQ(ask("GET", "/v1/drivers/none").status, 404);
  EXPECT_EQ(ask("GET", "/v1/conductors").body["conductors"][0]["alive"], true);
}

TEST_F(Api, brokenRequestsAreTheClientsFault) {
  EXPECT_EQ(ask("POST", "/v1/nodes", "text").status, 400);
  EXPECT_EQ(ask("PATCH", "/v1/nodes/x", Json::array()).status, 404);
  EXPECT_EQ(ask("POST", "/v1/nodes", {{"driver", {1}}}).status, 400);
}

TEST_F(Api, aBrowserOnThisMachineNeedsTheTokenForItCarriesOthersRequests) {
  const ApiPolicy policy{"secret", true, false};
  EXPECT_EQ(ask("GET", "/v1/nodes", Json(), "1.78", "127.0.0.1", policy).status, 200);
  for (const HttpHeaders& headers :
       {HttpHeaders{{"Origin", "http://evil.example"}}, HttpHeaders{{"Sec-Fetch-Site", "cross-site"}}}) {
    EXPECT_EQ(ask("POST", "/v1/hearth/import", Json::object(), "1.78", "127.0.0.1", policy, headers).status, 401);
    HttpHeaders with_token = headers;
    with_token.emplace_back("X-Auth-Token", "secret");
    EXPECT_EQ(ask("GET", "/v1/nodes", Json(), "1.78", "127.0.0.1", policy, with_token).status, 200);
  }
  EXPECT_TRUE(find_header(ask("GET", "/v1/nodes", Json(), "1.78", "192.0.2.7", policy).headers, "WWW-Authenticate"));
  EXPECT_FALSE(
      find_header(ask("GET", "/v1/nodes", Json(), "1.78", "192.0.2.7", policy, {{"X-Auth-Token", "wrong"}}).headers,
                  "WWW-Authenticate"));
}

TEST_F(Api, anInstructionThatHasBecomeAnotherIsNotLiftedByWhoSawTheOldOne) {
  const std::string uuid = add("manual-management");
  conductor->verb(uuid, "active", {});
  const Json told = ask("GET", "/v1/hearth/instructions").body["instructions"][0];
  const std::string place = cat("/v1/hearth/instructions/", uuid);
  const std::string since = told["since"];
  EXPECT_EQ(ask("DELETE", cat(place, "?since=2020-01-01T00:00:00%2B00:00")).status, 409);
  EXPECT_FALSE(node(uuid).instruction.action.empty());
  EXPECT_EQ(ask("DELETE", cat(place, "?since=", replace_all(since, "+", "%2B"))).status, 204);
  EXPECT_TRUE(node(uuid).instruction.action.empty());
}

TEST_F(Api, theServicesAreGivenToAnActiveNodeWhenNoneIsWorkedOn) {
  const std::string n1 = add("fake-hardware", "52:54:00:00:00:01", "n1");
  const std::string n2 = add("fake-hardware", "52:54:00:00:00:02", "n2");
  EXPECT_EQ(ask("POST", "/v1/hearth/handover", {{"id", "x"}, {"to", "n9"}}).status, 404);
  EXPECT_EQ(ask("POST", "/v1/hearth/handover", {{"to", "n1"}}).status, 400);
  EXPECT_NE(ask("POST", "/v1/hearth/handover", {{"id", "x"}, {"to", "n1"}}).fault().find("n1 is available"),
            std::string::npos);
  set_state(n1, State::active);
  conductor->ledger().edit(n2).job.kind = "clean";
  const Said busy = ask("POST", "/v1/hearth/handover", {{"id", "x"}, {"to", "n1"}});
  EXPECT_EQ(busy.status, 409);
  EXPECT_NE(busy.fault().find("being worked on: n2"), std::string::npos) << busy.fault();
  EXPECT_EQ(kept_handover(conductor->ledger().store()), std::nullopt);
  EXPECT_EQ(ask("POST", "/v1/hearth/handover", {{"id", "x"}, {"to", "n1"}, {"force", true}}).status, 202);
  EXPECT_EQ(kept_handover(conductor->ledger().store()), (Handover{"x", "n1", false}));
  EXPECT_NE(ask("GET", "/v1/hearth/events").body.dump().find("the services are given to n1"), std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
