#include "bootstrap/api/ironic_api.hpp"

#include <sys/socket.h>

#include <cstring>
#include <thread>

#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"
#include "bootstrap/handover/handover.hpp"
#include "tests/unit/bootstrap/api_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class Api : public ApiFixture {};

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

/// Of a list such fields are made without the rest of the row.
TEST_F(Api, fieldsOfAListAreAsTheNodeHasThemInEachVersion) {
  const std::string uuid = add("fake-hardware");
  conductor->set_maintenance(uuid, true, "broken");
  int compared = 0;
  for (const char* version : {"1.8", "1.40", "1.87"}) {
    const Json whole = ask("GET", cat("/v1/nodes/", uuid), Json(), version).body;
    const Json all = shown_node(node(uuid), View());
    for (const auto& [field, value] : all.items()) {
      const Said list = ask("GET", cat("/v1/nodes?fields=uuid,", field), Json(), version);
      EXPECT_EQ(list.status, whole.contains(field) ? 200 : 400) << field << " in " << version;
      if (list.status != 200) continue;
      EXPECT_EQ(list.body["nodes"][0][field], whole[field]) << field << " in " << version;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
  EXPECT_EQ(ask("GET", "/v1/nodes?fields=uuid,nonsense").status, 400);
  EXPECT_EQ(ask("GET", "/v1/nodes?fields=last_error,extra").body["nodes"][0]["extra"], Json::object());
}

TEST_F(Api, pagesFollowOneAnotherWhateverIsFilteredAndTheirMarkerNeedNotFit) {
  std::vector<std::string> made;
  for (const char* n : {"1", "2", "3", "4", "5", "6", "7"})
    made.push_back(
        add(n == std::string("4") ? "manual-management" : "fake-hardware", cat("52:54:00:00:00:0", n), cat("n", n)));
  for (std::size_t at = 0; at < made.size(); ++at) {
    conductor->ledger().edit(made[at]).created = static_cast<Stamp>(10 - at / 2);  // two of each time, the last first
    conductor->settle();
  }
  for (const char* list : {"nodes", "ports"}) {
    const std::string filter = list == std::string("nodes") ? "driver=fake-hardware&" : "";
    const Json whole = ask("GET", cat("/v1/", list, "?", filter)).body[list];
    EXPECT_EQ(whole.size(), filter.empty() ? 7U : 6U);
    Json joined = Json::array();
    std::string marker;
    for (int page = 0; page < 4; ++page) {
      const Json body = ask("GET", cat("/v1/", list, "?", filter, "limit=2", marker)).body;
      for (const Json& row : body[list]) joined.push_back(row);
      if (!body.contains("next")) break;
      marker = cat("&marker=", text_in(body[list].back(), "uuid"));
    }
    EXPECT_EQ(joined, whole) << list;
    EXPECT_EQ(ask("GET", cat("/v1/", list, "?marker=", random_uuid())).status, 404);
  }
  const Json sorted = ask("GET", "/v1/nodes?sort_key=created_at&fields=name").body["nodes"];
  EXPECT_EQ(sorted[0]["name"], "n7");
  const Json behind = ask("GET", cat("/v1/nodes?driver=fake-hardware&limit=1&marker=", made[3])).body["nodes"];
  ASSERT_EQ(behind.size(), 1U);
  EXPECT_NE(behind[0]["name"], "n4");
  EXPECT_FALSE(ask("GET", "/v1/nodes?limit=7").body.contains("next"));
  EXPECT_TRUE(ask("GET", "/v1/nodes?limit=6").body.contains("next"));
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
  pass(5);  // it waits for its agent
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/management/boot_device", {{"boot_device", "disk"}, {"persistent", "x"}}).status,
            400);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/management/boot_device", {{"boot_device", "disk"}}).status, 204);
  const Said busy = ask("PUT", "/v1/nodes/web1/management/boot_device", {{"boot_device", "pxe"}});  // it is at it
  EXPECT_EQ(busy.status, 409);
  EXPECT_NE(format_json(busy.body).find("Node web1 is locked by host "), std::string::npos) << busy.body;
  pass(1);
  EXPECT_EQ(ask("GET", "/v1/nodes/web1/management/boot_device").body["boot_device"], "disk");
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
  EXPECT_EQ(find_header(refused.headers, "x-openstack-ironic-api-maximum-version"), "1.87");
  EXPECT_EQ(ask("GET", "/v1", Json(), "").status, 200);
  EXPECT_EQ(ask("GET", "/", Json(), "").body["default_version"]["version"], "1.87");
  EXPECT_EQ(ask("GET", "/v2").status, 404);
}

TEST_F(Api, whatSomebodyMayDoIsAMatterOfHisRoleAndMachinesSeeOnlyWhatIsTheirs) {
  add("fake-hardware");
  const Caller nobody, reader{Role::read, "r"}, operating{Role::operate, "o"}, admin{Role::admin, "a"};
  const auto status = [&](const Caller& caller, const char* method, const char* target, const Json& body = Json()) {
    return ask(method, target, body, "1.78", "127.0.0.1", caller).status;
  };
  EXPECT_EQ(status(nobody, "GET", "/v1/nodes"), 401) << "this machine is nobody";
  EXPECT_EQ(status(reader, "GET", "/v1/nodes"), 200);
  EXPECT_EQ(status(reader, "PUT", "/v1/nodes/web1/maintenance", {{"reason", "x"}}), 403);
  EXPECT_EQ(status(operating, "PUT", "/v1/nodes/web1/maintenance", {{"reason", "x"}}), 202);
  EXPECT_EQ(status(operating, "PATCH", "/v1/nodes/web1", Json::array()), 403);
  EXPECT_EQ(status(operating, "GET", "/v1/hearth/export?secrets=true"), 403);
  EXPECT_EQ(status(operating, "POST", "/v1/hearth/handover", Json::object()), 403);
  EXPECT_EQ(status(admin, "GET", "/v1/hearth/export?secrets=true"), 200);
  EXPECT_EQ(ask("GET", "/v1/lookup?addresses=52:54:00:00:00:09", Json(), "1.78", "192.0.2.5", nobody).fault(),
            "Resource could not be found.");
  EXPECT_EQ(ask("GET", "/v1/nodes", Json(), "1.78", "127.0.0.1", admin, IronicApi::Faces::agents).status, 404);
}

TEST_F(Api, whoOnlyLooksSeesNoSecretOfAMachine) {
  add("fake-hardware");
  const Json given = {{"rack", "A"}, {"user_data", "password: s3cret1"}, {"meta_data", {{"db", "s3cret2"}}}};
  ask("PATCH", "/v1/nodes/web1",
      Json::array({{{"op", "add"}, {"path", "/extra/x_seed"}, {"value", given}},
                   {{"op", "add"}, {"path", "/driver_info/address"}, {"value", "http://u:s3cret3@192.0.2.9"}}}));
  for (const char* target : {"/v1/nodes/web1", "/v1/nodes/detail", "/v1/hearth/export"}) {
    const auto seen = [&](Role role) {
      return format_json(ask("GET", target, Json(), "1.78", "127.0.0.1", {role, "x"}).body);
    };
    EXPECT_EQ(seen(Role::read).find("s3cret"), std::string::npos) << target;
    EXPECT_NE(seen(Role::read).find("\"rack\""), std::string::npos) << target;
    EXPECT_NE(seen(Role::admin).find("s3cret2"), std::string::npos) << target << ": who edits it gets what is there";
  }
}

TEST_F(Api, olderEventsAreForgottenByRequestOfAnAdministrator) {
  for (int i = 0; i < 20; ++i) conductor->ledger().record_site("test", std::to_string(i));
  conductor->settle();
  const std::size_t before = store.events({0, 1000, "", false}).size();
  EXPECT_EQ(ask("DELETE", "/v1/hearth/events?keep=5", Json(), "1.78", "192.0.2.9", {Role::operate, "bert"}).status,
            403);
  for (const char* keep : {"", "?keep=0", "?keep=-1", "?keep=many", "?keep=99999999999999999999"})
    EXPECT_EQ(ask("DELETE", cat("/v1/hearth/events", keep)).status, 400) << keep;
  EXPECT_EQ(store.events({0, 1000, "", false}).size(), before);
  EXPECT_EQ(ask("DELETE", "/v1/hearth/events?keep=5").status, 200);
  const std::vector<Event> left = store.events({0, 1000, "", false});
  ASSERT_EQ(left.size(), 6U);
  EXPECT_EQ(left[4].text, "19");
  EXPECT_EQ(left[5].text, "5 of them are kept, by request") << "the deed itself is told";
}

TEST_F(Api, deploymentsAndCleaningsAboveTheirLimitAreRefusedInIronicsWords) {
  settings.max_concurrent_deploy = 1;
  settings.max_concurrent_clean = 1;
  start();
  const std::string one = add("fake-hardware", "52:54:00:00:00:01", "one");
  const std::string two = add("fake-hardware", "52:54:00:00:00:02", "two");
  const auto wish = [&](const std::string& uuid, const Json& body) {
    return ask("PUT", cat("/v1/nodes/", uuid, "/states/provision"), body);
  };
  EXPECT_EQ(wish(one, {{"target", "active"}}).status, 202);
  const Said refused = wish(two, {{"target", "active"}});
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.fault(),
            "Unable to process request at this time. The concurrent action limit for provisioning has "
            "been reached. Please contact your administrator and try again later.");
  EXPECT_EQ(node(two).state, State::available);
  set_state(one, State::cleaning);
  EXPECT_EQ(wish(two, {{"target", "active"}}).status, 202) << "a cleaning is no deployment";
  set_state(two, State::manageable);
  const Json steps = Json::array({{{"interface", "deploy"}, {"step", "erase_devices"}}});
  EXPECT_NE(wish(two, {{"target", "clean"}, {"clean_steps", steps}}).fault().find("limit for cleaning"),
            std::string::npos);
  set_state(two, State::active);
  EXPECT_NE(wish(two, {{"target", "deleted"}}).fault().find("limit for unprovisioning"), std::string::npos);
}

TEST_F(Api, aCleaningWithoutARamdiskIsRefusedOrFailsAsIronicsDoes) {
  const std::string uuid = add("fake-hardware");
  const auto wish = [&](const Json& body, const char* version = "1.82") {
    return ask("PUT", cat("/v1/nodes/", uuid, "/states/provision"), body, version);
  };
  Json body = {{"target", "clean"},
               {"clean_steps", Json::array({{{"interface", "bios"}, {"step", "factory_reset"}}})},
               {"disable_ramdisk", true}};
  set_state(uuid, State::manageable);
  EXPECT_EQ(wish(body, "1.69").status, 406);
  EXPECT_EQ(wish(body, "1.69").fault(), "disable_ramdisk is not acceptable in this API version");
  EXPECT_EQ(wish({{"target", "provide"}, {"disable_ramdisk", "yes"}}).fault(),
            "disable_ramdisk is supported only with manual cleaning");
  EXPECT_EQ(wish({{"target", "clean"}, {"disable_ramdisk", "perhaps"}}).fault().substr(0, 56),
            "Invalid disable_ramdisk: Unrecognized value 'perhaps', a");
  EXPECT_EQ(wish({{"target", "provide"}, {"ramdisk", "no"}}).fault(), "Unexpected arguments: ramdisk");
  EXPECT_EQ(node(uuid).state, State::manageable);
  EXPECT_EQ(wish(body).status, 202);
  EXPECT_EQ(node(uuid).state, State::clean_failed);
  EXPECT_EQ(node(uuid).last_error, cat("Cannot clean node ", uuid,
                                       ": clean step {'interface': 'bios', 'step': 'factory_reset'} requires booting a "
                                       "ramdisk"));
  set_state(uuid, State::manageable);
  body["clean_steps"] = Json::array();
  EXPECT_EQ(wish(body).status, 202);
  EXPECT_EQ(node(uuid).state, State::manageable) << node(uuid).last_error;
}

TEST_F(Api, eventsSayWhoAskedForWhatHappened) {
  const std::string uuid = add("fake-hardware");
  EXPECT_EQ(
      ask("PUT", "/v1/nodes/web1/maintenance", {{"reason", "fan"}}, "1.78", "192.0.2.9", {Role::operate, "ann"}).status,
      202);
  bool told = false;
  for (const Event& event : store.events({0, 100, uuid, false}))
    told = told || (event.kind == "maintenance" && text_in(event.detail, "who") == "ann");
  EXPECT_TRUE(told);
  conductor->set_maintenance(uuid, false, "");
  EXPECT_FALSE(store.events({0, 1, uuid, true}).at(0).detail.contains("who")) << "that was nobody's request";
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
  const Said misled = ask("POST", "/v1/hearth/import", {{"text", "[]"}, {"format", "json"}, {"initial_state", "frob"}});
  EXPECT_EQ(misled.status, 400);
  EXPECT_NE(format_json(misled.body).find("enroll, manageable or available, not 'frob'"), std::string::npos);
  const Said imported =
      ask("POST", "/v1/hearth/import", {{"text", R"([{"pm_type": "x"}])"}, {"format", "json"}, {"source", "f.json"}});
  EXPECT_EQ(imported.status, 422);
  EXPECT_NE(text_in(imported.body, "faults").find("f.json:1:14"), std::string::npos) << imported.body;
  EXPECT_EQ(ask("PUT", "/v1/hearth/images/web", {{"kernel", "k"}}).status, 204);
  EXPECT_EQ(ask("GET", "/v1/hearth/images").body["images"][0]["name"], "web");
  const Json use = {{{"op", "add"}, {"path", "/instance_info/kernel"}, {"value", "k"}}};
  EXPECT_EQ(ask("PATCH", "/v1/nodes/web1", use).status, 200);
  const Said used = ask("DELETE", "/v1/hearth/images/web");
  EXPECT_EQ(used.status, 409);
  EXPECT_NE(format_json(used.body).find("Image web is used by web1"), std::string::npos) << used.body;
  EXPECT_EQ(ask("PATCH", "/v1/nodes/web1", {{{"op", "remove"}, {"path", "/instance_info/kernel"}}}).status, 200);
  EXPECT_EQ(ask("DELETE", "/v1/hearth/images/web").status, 204);
  EXPECT_EQ(ask("GET", "/v1/hearth/export").body["nodes"].size(), 1U);
  EXPECT_GE(ask("GET", "/v1/hearth/events?limit=2").body["events"].size(), 2U);
  EXPECT_EQ(ask("POST", "/v1/hearth/configure_boot", {{"kernel", "k"}, {"ramdisk", "r"}}).status, 200);
  EXPECT_EQ(ask("GET", "/v1/drivers").body["drivers"].size(), 2U);
  EXPECT_EQ(ask("GET", "/v1/drivers/none").status, 404);
  EXPECT_EQ(ask("GET", "/v1/conductors").body["conductors"][0]["alive"], true);
}

TEST_F(Api, aMachineThatAskedBecomesANodeOnlyWhenAPersonApprovesOfIt) {
  const char* place = "/v1/hearth/waiting/52:54:00:00:00:09";
  EXPECT_EQ(ask("POST", place, {{"name", "web9"}}).status, 404) << "nobody has asked";
  conductor->seen("52:54:00:00:00:09", "dhcp DISCOVER", Conductor::Sign::asks);
  EXPECT_TRUE(conductor->ledger().nodes().empty()) << "nothing is added by itself";
  EXPECT_EQ(ask("GET", "/v1/hearth/waiting").body["waiting"][0]["how"], "dhcp DISCOVER");
  EXPECT_EQ(ask("POST", place, {{"name", "web9"}}, "1.78", "192.0.2.9", {Role::operate, "o"}).status, 403);
  EXPECT_EQ(ask("POST", "/v1/hearth/waiting/52:54", Json::object()).status, 400);
  const Said bad = ask("POST", place, {{"pm_type", "frob"}});
  EXPECT_EQ(bad.status, 400) << bad.body;
  EXPECT_NE(bad.fault().find("frob"), std::string::npos) << bad.fault();
  EXPECT_TRUE(conductor->ledger().nodes().empty());
  const Said made =
      ask("POST", "/v1/hearth/waiting/52-54-00-00-00-09", {{"name", "web9"}, {"mac", "52:54:00:00:00:0a"}});
  EXPECT_EQ(made.status, 201) << made.body;
  const Node& node = conductor->node("web9");
  EXPECT_EQ(node.uuid, made.body["uuid"]);
  EXPECT_EQ(node.state, State::enroll);
  EXPECT_TRUE(node.has_mac("52:54:00:00:00:09"));
  EXPECT_FALSE(node.has_mac("52:54:00:00:00:0a"));
  EXPECT_TRUE(ask("GET", "/v1/hearth/waiting").body["waiting"].empty());
  EXPECT_EQ(ask("POST", place, {{"name", "again"}}).status, 404);
}

TEST_F(Api, brokenRequestsAreTheClientsFault) {
  EXPECT_EQ(ask("POST", "/v1/nodes", "text").status, 400);
  EXPECT_EQ(ask("PATCH", "/v1/nodes/x", Json::array()).status, 404);
  EXPECT_EQ(ask("POST", "/v1/nodes", {{"driver", {1}}}).status, 400);
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
  EXPECT_EQ(ask("GET", "/v1/hearth/handover").status, 404) << "a takeover that begins takes it for: not asked yet";
  EXPECT_EQ(ask("DELETE", "/v1/hearth/handover").status, 404);
  EXPECT_EQ(ask("POST", "/v1/hearth/handover", {{"id", "x"}, {"to", "n9"}}).status, 404);
  EXPECT_EQ(ask("POST", "/v1/hearth/handover", {{"to", "n1"}}).status, 400);
  EXPECT_NE(ask("POST", "/v1/hearth/handover", {{"id", "x"}, {"to", "n1"}}).fault().find("n1 is available"),
            std::string::npos);
  set_state(n1, State::active);
  conductor->ledger().edit(n2).job.kind = JobKind::clean;
  const Said busy = ask("POST", "/v1/hearth/handover", {{"id", "x"}, {"to", "n1"}});
  EXPECT_EQ(busy.status, 409);
  EXPECT_NE(busy.fault().find("being worked on: n2"), std::string::npos) << busy.fault();
  EXPECT_EQ(kept_handover(conductor->ledger().store()), std::nullopt);
  EXPECT_EQ(ask("POST", "/v1/hearth/handover", {{"id", "x"}, {"to", "n1"}, {"force", true}}).status, 202);
  EXPECT_EQ(kept_handover(conductor->ledger().store()), (Handover{"x", "n1", false}));
  EXPECT_NE(ask("GET", "/v1/hearth/events").body.dump().find("the services are given to n1"), std::string::npos);
}

TEST_F(Api, aMachineIsGivenAwayOnlyAsWhatItWasSeenAs) {
  add("fake-hardware", "52:54:00:00:00:01", "n1");
  const Json as_active = {{"to", "http://cloud:5000"}, {"provision_state", "active"}};
  const Json as_available = {{"to", "http://cloud:5000"}, {"provision_state", "available"}};
  const Said other = ask("PUT", "/v1/hearth/given/n1", as_active);
  EXPECT_EQ(other.status, 409);
  EXPECT_NE(other.fault().find("n1 is available now"), std::string::npos) << other.fault();
  conductor->set_maintenance("n1", true, "a fan");
  EXPECT_EQ(ask("PUT", "/v1/hearth/given/n1", as_available).status, 409);
  conductor->set_maintenance("n1", false, "");
  EXPECT_TRUE(ask("GET", "/v1/hearth/given").body["given"].empty());
  EXPECT_EQ(ask("PUT", "/v1/hearth/given/n1", as_available).status, 200);
  EXPECT_EQ(ask("PUT", "/v1/hearth/given/n1", as_available).status, 200) << "the same command again";
  EXPECT_EQ(ask("GET", "/v1/hearth/given").body["given"].size(), 1U);
  EXPECT_EQ(ask("DELETE", "/v1/nodes/n1").status, 409) << "it may come back";
  EXPECT_EQ(ask("PUT", "/v1/hearth/given/n1", {{"to", "http://cloud:5000"}, {"for_good", true}}).status, 200);
  EXPECT_EQ(ask("DELETE", "/v1/hearth/given/n1").status, 409) << "it does not";
  EXPECT_EQ(ask("DELETE", "/v1/nodes/n1").status, 204);
}

TEST_F(Api, filtersAreKeptToOrRefusedAndNeverIgnored) {
  const std::string retired = add("fake-hardware", "52:54:00:00:00:01", "old");
  add("fake-hardware", "52:54:00:00:00:02", "new");
  conductor->ledger().edit(retired).fields = {{"retired", true}, {"owner", "ann"}, {"description", "The Old one"}};
  conductor->ledger().edit(retired).fault = "power failure";
  const auto names = [&](const std::string& query) {
    std::vector<std::string> found;
    for (const Json& node : ask("GET", cat("/v1/nodes?", query)).body.value("nodes", Json::array()))
      found.push_back(node["name"]);
    return join(found, " ");
  };
  for (const char* query :
       {"retired=True", "fault=power%20failure", "project=ann", "description_contains=old", "owner=ann"})
    EXPECT_EQ(names(query), "old") << query;
  EXPECT_EQ(names("retired=False"), "new");
  EXPECT_EQ(names("conductor=elsewhere"), "");
  EXPECT_EQ(names("chassis_uuid=1"), "");
  for (const char* query : {"shard=a", "provision_state=activ", "retired=perhaps", "limit=x", "colour=red"})
    EXPECT_EQ(ask("GET", cat("/v1/nodes?", query)).status, 400) << query;
}

TEST_F(Api, methodsThatAreNoneDoNothing) {
  const std::string uuid = add("fake-hardware");
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/traits/CUSTOM_A").status, 204);
  EXPECT_EQ(ask("POST", "/v1/nodes/web1/traits").status, 405);
  EXPECT_EQ(node(uuid).traits.size(), 1U);
  EXPECT_EQ(ask("DELETE", "/v1/nodes").status, 405);
  EXPECT_EQ(ask("POST", "/v1/drivers/fake-hardware/vendor_passthru?method=x").status, 400);
  EXPECT_EQ(ask("POST", "/v1/nodes/web1/vifs", {{"id", "x"}}).status, 204);
  EXPECT_EQ(ask("POST", "/v1/nodes", {{"driver", "fake-hardware"}, {"name", "detail"}}).status, 400);
}

TEST_F(Api, whatIsNotDoneIsNotAccepted) {
  const std::string uuid = add("fake-hardware");
  EXPECT_EQ(
      ask("PUT", "/v1/nodes/web1/states/provision", {{"target", "active"}, {"deploy_steps", {{{"step", "x"}}}}}).status,
      400);
  set_state(uuid, State::manageable);
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/provision", {{"target", "clean"}}).status, 400);
  conductor->ledger().edit(uuid).instance_info.erase("image_source");
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/provision", {{"target", "adopt"}}).status, 400);
  EXPECT_EQ(node(uuid).state, State::manageable) << "it is not known what is on it";
  EXPECT_EQ(ask("PUT", "/v1/nodes/web1/states/power", {{"target", "soft power off"}, {"timeout", 0}}).status, 400);
  EXPECT_EQ(
      ask("PATCH", "/v1/nodes/web1",
          Json::parse(
              R"([{"op": "add", "path": "/driver_info/kernel_append_params", "value": "quiet\nchain http://x/"}])"))
          .status,
      400);
  EXPECT_EQ(ask("POST", "/v1/nodes", {{"driver", "fake-hardware"}, {"driver_info", {{"qemu_options", "-x"}}}}).status,
            400);
  EXPECT_FALSE(node(uuid).driver_info.contains("kernel_append_params"));
}

TEST_F(Api, whatManagesANodeFromNowOnIsAskedAtOnce) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::available);
  conductor->ledger().edit(uuid).power = Power::off;
  const auto set = [&](const char* key, const char* value) {
    return ask("PATCH", "/v1/nodes/web1", {{{"op", "add"}, {"path", cat("/driver_info/", key)}, {"value", value}}})
        .body;
  };
  EXPECT_EQ(set("deploy_kernel", "http://192.0.2.1/kernel")["power_state"], "power off") << "that is no BMC's";
  EXPECT_EQ(set("fake_fault", "refused")["power_state"], Json()) << "how that machine is nobody knows";
  pass(2);
  EXPECT_TRUE(node(uuid).last_error.starts_with(k_other_refuses)) << node(uuid).last_error;
  EXPECT_EQ(set("fake_fault", "")["last_error"], Json());
  pass(2);
  EXPECT_EQ(node(uuid).last_error, "");
  EXPECT_NE(node(uuid).power, Power::unknown);
}

TEST_F(Api, consolesAreForThoseWhoOperateAndTellWhoTypes) {
  const std::string uuid = add("fake-hardware");
  const std::string place = cat("/v1/hearth/consoles/", uuid);
  EXPECT_EQ(ask("GET", place).status, 404) << "there is no desk";
  const TempDir folder = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  ConsoleDesk consoles(folder.path(), {}, clock);
  desk = &consoles;
  const Caller ole{Role::operate, "ole"};
  const Json keyboard = {{"keyboard", "0123456789abcdef"}};
  const auto as = [&](const char* method, const std::string& target, const Json& body, const Caller& who) {
    return ask(method, target, body, "1.78", "192.0.2.9", who).status;
  };
  for (const char* method : {"GET", "PUT", "DELETE"}) EXPECT_EQ(as(method, place, keyboard, {Role::read, "ria"}), 403);
  EXPECT_EQ(as("GET", place, Json(), ole), 404) << "nothing was said there";
  EXPECT_EQ(as("PUT", place, keyboard, ole), 409) << "nobody listens there";
  const fs::path home = folder.path() / "qemu" / uuid;
  RealFileSystem().make_directories(home, 0700);
  const Fd listener = listen_locally(home / "console");
  EXPECT_EQ(as("PUT", place, {{"keyboard", "guessed"}}, ole), 400);
  std::thread monitor([listener = listen_locally(home / "qmp")] {
    for (int times = 0; times < 2; ++times) {
      const Fd asker(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      std::array<char, 1000> bytes{};
      for (const char* line : {"{\"QMP\": {}}\n", "{\"return\": {}}\n",
                               "{\"return\": [{\"label\": \"console\", \"filename\": \"disconnected:unix\"}]}\n"}) {
        if (::send(asker.get(), line, std::strlen(line), MSG_NOSIGNAL) < 0) return;
        if (::recv(asker.get(), bytes.data(), bytes.size(), 0) <= 0) break;
      }
    }
  });
  EXPECT_EQ(as("PUT", place, keyboard, ole), 204);
  EXPECT_EQ(as("PUT", place, keyboard, ole), 204) << "his already: no second event";
  EXPECT_EQ(as("PUT", place, {{"keyboard", "0123456789abcdef"}, {"text", 7}}, ole), 400);
  EXPECT_EQ(as("PUT", place, {{"keyboard", "0123456789abcdef"}, {"text", "secret"}}, ole), 204);
  EXPECT_EQ(as("PUT", place, {{"keyboard", "fedcba9876543210"}}, {Role::admin, "ann"}), 409);
  EXPECT_EQ(as("DELETE", cat(place, "?keyboard=0123456789abcdef"), Json(), ole), 204);
  consoles.tick();  // its line ends with its keyboard
  EXPECT_EQ(as("PUT", place, keyboard, ole), 204);
  monitor.join();
  clock.advance(ConsoleDesk::k_sign + std::chrono::seconds(1));
  IronicApi api(*conductor, IronicApi::Faces::all, log);
  api.set_consoles(consoles);
  api.look_at_consoles();
  std::vector<std::string> told;
  const Json events = ask("GET", cat("/v1/hearth/events?node=", uuid)).body["events"];
  for (const Json& event : events) {
    if (event["kind"] == "console") told.push_back(event["text"]);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"ole types at its console", "ole types at its console no more",
                                            "ole types at its console",
                                            "ole types at its console no more: their page is gone"}));
}

TEST_F(Api, oneIsToldWhoOneIsAndWhatOneMayDo) {
  EXPECT_EQ(ask("GET", "/v1/hearth/me", Json(), "1.78", "192.0.2.9", {Role::read, "ann", Role::operate}).body,
            Json({{"name", "ann"}, {"role", "read"}, {"may", "operate"}}));
  EXPECT_EQ(ask("GET", "/v1/hearth/me", Json(), "1.78", "192.0.2.9", {Role::admin, "root"}).body["may"], "admin");
  EXPECT_EQ(ask("GET", "/v1/hearth/me", Json(), "1.78", "192.0.2.9", {}).status, 401);
}

}  // namespace
}  // namespace hearth::bootstrap
