#include "bootstrap/conductor/agent_endpoint.hpp"

#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class AgentEndpointTest : public ConductorFixture {
 protected:
  int refused(const std::function<void()>& call) {
    try {
      call();
    } catch (const Refusal& refusal) {
      return refusal.status();
    }
    return 0;
  }
};

TEST_F(AgentEndpointTest, aTokenIsToldOnceAndOnlyToAMachineThatIsExpected) {
  const std::string uuid = add("fake-hardware");
  EXPECT_EQ(
      refused([&] { static_cast<void>(conductor->agents().look_up({"52:54:00:00:00:01"}, "", "", "192.0.2.9")); }),
      404);
  EXPECT_EQ(
      refused([&] { static_cast<void>(conductor->agents().look_up({"52:54:00:00:00:99"}, "", "", "192.0.2.9")); }),
      404);
  conductor->verb(uuid, "deploy", {});
  pass(3);
  const Json first =
      conductor->agents().look_up({"52-54-00-00-00-99", "52:54:00:00:00:01"}, "", "http://h", "192.0.2.9");
  EXPECT_GE(first["config"]["agent_token"].get<std::string>().size(), 32U);
  EXPECT_EQ(first["config"]["agent_token_required"], true);
  EXPECT_EQ(first["node"]["uuid"], uuid);
  EXPECT_EQ(conductor->agents().look_up({}, uuid, "", "192.0.2.9")["config"]["agent_token"], "******");
  EXPECT_EQ(store.events({0, 100, "", false}).size() > 2, true);
}

TEST_F(AgentEndpointTest, aTokenIsToldOnceMoreWhereTheConductorWasKilledBeforeTheAnswerCouldArrive) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  const auto look_up = [&] {
    return conductor->agents()
        .look_up({"52:54:00:00:00:01"}, "", "", "192.0.2.9")["config"]["agent_token"]
        .get<std::string>();
  };
  const std::string lost = look_up();
  conductor->settle();
  EXPECT_EQ(look_up(), "******");  // this process has told it
  start();
  EXPECT_EQ(look_up(), lost);
  EXPECT_EQ(look_up(), "******");
  beat(uuid, lost);
  start();
  EXPECT_EQ(look_up(), "******");  // it has arrived: whoever asks now is somebody else
}

TEST_F(AgentEndpointTest, aMachineThatIsAboutToBeSwitchedOffGetsNoToken) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  Node& early = conductor->ledger().edit(uuid);
  for (const Stage stage :
       {Stage::check, Stage::power_off, Stage::boot_network, Stage::leave, Stage::await_off, Stage::start_disk}) {
    early.job.stage = stage;
    EXPECT_EQ(refused([&] { static_cast<void>(conductor->agents().look_up({}, uuid, "", "192.0.2.9")); }), 404)
        << name(stage);
  }
  early.job.stage = Stage::power_on;
  EXPECT_GE(conductor->agents().look_up({}, uuid, "", "192.0.2.9")["config"]["agent_token"].get<std::string>().size(),
            32U);
}

TEST_F(AgentEndpointTest, callBacksWithoutTheTokenOrFromElsewhereAreRefusedAndTold) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  EXPECT_EQ(refused([&] { beat(uuid, "x"); }), 400);
  EXPECT_EQ(refused([&] { beat("nobody", "x"); }), 404);
  agents.rounds = 1000;
  const std::string token = agent_calls(uuid);
  EXPECT_EQ(refused([&] { beat(uuid, token, "http://192.0.2.66:9999"); }), 400);
  EXPECT_EQ(refused([&] { beat(uuid, "wrong"); }), 400);
  EXPECT_EQ(refused([&] { beat(uuid, token); }), 0);
  conductor->settle();
  std::size_t told = 0;
  for (const Event& event : store.events({0, 1000, "", false})) told += event.kind == "refused" ? 1 : 0;
  EXPECT_EQ(told, 2U);  // the same thing twice in ten minutes is told once
}

TEST_F(AgentEndpointTest, noTokenIsNoToken) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  EXPECT_EQ(refused([&] { beat(uuid, ""); }), 400) << "nobody has looked it up yet";
  EXPECT_THROW(conductor->agents().progress({{"node_uuid", uuid}, {"agent_token", ""}}, "192.0.2.9"), Refusal);
}

TEST_F(AgentEndpointTest, anAgentIsNotReplacedByAnotherOneOfItsMachine) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  agents.rounds = 1000;
  const std::string token = agent_calls(uuid);
  EXPECT_EQ(refused([&] { beat(uuid, token, "http://192.0.2.9:9998"); }), 400);
  EXPECT_EQ(node(uuid).internal["agent_url"], "http://192.0.2.9:9999");
}

TEST_F(AgentEndpointTest, aMachineThatNobodyWaitsForIsNotHeard) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  agents.rounds = 1000;
  const std::string token = agent_calls(uuid);
  conductor->ledger().edit(uuid).job = {};
  set_state(uuid, State::active);
  EXPECT_EQ(refused([&] { beat(uuid, token); }), 404);
  EXPECT_EQ(
      refused([&] { static_cast<void>(conductor->agents().look_up({"52:54:00:00:00:01"}, "", "", "192.0.2.9")); }),
      404);
}

TEST_F(AgentEndpointTest, itsCertificateIsKeptForTheCallsToIt) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  const Json found = conductor->agents().look_up({"52:54:00:00:00:01"}, "", "", "192.0.2.9");
  conductor->agents().heartbeat(uuid,
                                {{"callback_url", "https://192.0.2.9:9999"},
                                 {"agent_token", found["config"]["agent_token"]},
                                 {"agent_verify_ca", "PEM"}},
                                "192.0.2.9");
  EXPECT_EQ(read_file(directory.path() / "agents" / cat(uuid, ".pem")), "PEM");
}

TEST_F(AgentEndpointTest, anInspectionWithAnErrorFailsTheNode) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::manageable);
  EXPECT_EQ(refused([&] { static_cast<void>(conductor->agents().inspected(Json::object(), uuid, "192.0.2.9")); }), 404);
  conductor->verb(uuid, "inspect", {});
  pass(3);
  static_cast<void>(conductor->agents().inspected({{"error", "no disk"}}, uuid, "192.0.2.9"));
  conductor->settle();
  EXPECT_EQ(node(uuid).state, State::inspect_failed);
  EXPECT_NE(node(uuid).last_error.find("no disk"), std::string::npos);
}

TEST_F(AgentEndpointTest, progressIsShownButNotKeptAndOnlyTakenFromTheNodesAgent) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "active", {});
  pass(2);
  const std::string token = agent_calls(uuid);
  const Json looked_up = conductor->agents().look_up({node(uuid).ports.at(0).address}, "", "http://h", "192.0.2.9");
  EXPECT_EQ(looked_up["config"]["hearth"]["progress_url"], "http://h/v1/hearth/progress");
  Json told = {{"node_uuid", uuid}, {"agent_token", token}, {"written", 7}, {"fetched", 3}, {"phase", "write_image"}};
  conductor->agents().progress(told, "192.0.2.9");
  EXPECT_TRUE(node(uuid).progress.is_null()) << "it is not at that stage";
  conductor->ledger().edit(uuid).job.stage = Stage::write_image;
  conductor->ledger().commit();
  int heard = 0;
  conductor->ledger().watch([&](const Committed& committed) { heard += static_cast<int>(committed.changed.size()); });
  conductor->agents().progress(told, "192.0.2.9");
  conductor->ledger().commit();
  EXPECT_EQ(node(uuid).progress, Json({{"fetched", 3}, {"written", 7}}));
  EXPECT_GE(heard, 1);
  for (const Node& kept : store.nodes()) EXPECT_TRUE(kept.progress.is_null());
  told["agent_token"] = "wrong";
  EXPECT_THROW(conductor->agents().progress(told, "192.0.2.9"), Refusal);
  EXPECT_THROW(conductor->agents().progress({{"node_uuid", "nobody"}}, "192.0.2.9"), Refusal);
}

TEST_F(AgentEndpointTest, anAgentThatNamesAnotherMachineOrAPathIsNotCalled) {
  const std::string uuid = add("fake-hardware");
  conductor->verb(uuid, "deploy", {});
  pass(3);
  const Json found = conductor->agents().look_up({"52:54:00:00:00:01"}, "", "", "192.0.2.9");
  const std::string token = found["config"]["agent_token"];
  EXPECT_EQ(refused([&] { beat(uuid, token, "http://127.0.0.1:6385"); }), 400);
  EXPECT_EQ(refused([&] { beat(uuid, token, "http://192.0.2.9:6385/v1/introspection/web2?x="); }), 400);
  EXPECT_FALSE(node(uuid).internal.contains("agent_url"));
  EXPECT_EQ(refused([&] { beat(uuid, token); }), 0);
}

TEST_F(AgentEndpointTest, nobodyWithAnotherCardsLeaseSpeaksForAMachine) {
  const std::string uuid = add("fake-hardware");
  conductor->agents().know_leases([](const std::string& address) -> std::optional<std::string> {
    if (address == "192.0.2.66") return "52:54:00:00:00:66";
    if (address == "192.0.2.9") return "52:54:00:00:00:01";
    return std::nullopt;
  });
  conductor->verb(uuid, "deploy", {});
  pass(3);
  EXPECT_EQ(refused([&] {
              static_cast<void>(
                  conductor->agents().look_up({"52:54:00:00:00:01", "52:54:00:00:00:66"}, "", "", "192.0.2.66"));
            }),
            404);
  EXPECT_NE(conductor->agents().look_up({"52:54:00:00:00:01"}, "", "", "192.0.2.9")["config"]["agent_token"], "******");
}

TEST_F(AgentEndpointTest, anInspectionProvesItselfAndAddsNoPort) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "inspect", {});
  pass(3);
  const Json found = conductor->agents().look_up({"52:54:00:00:00:01"}, "", "", "192.0.2.9");
  Json data = Json::parse(R"({"inventory": {"cpu": {"count": 1}, "interfaces": [{"mac_address": "52:54:00:00:00:01"}],
    "boot": {"pxe_interface": "52:54:00:00:00:66"}}})");
  EXPECT_EQ(refused([&] { static_cast<void>(conductor->agents().inspected(data, "", "192.0.2.66")); }), 400);
  EXPECT_EQ(node(uuid).state, State::inspect_wait);
  data["agent_token"] = found["config"]["agent_token"];
  EXPECT_EQ(conductor->agents().inspected(data, "", "192.0.2.9")["uuid"], uuid);
  EXPECT_EQ(node(uuid).ports.size(), 1U);
  EXPECT_FALSE(node(uuid).has_mac("52:54:00:00:00:66"));
}

TEST_F(AgentEndpointTest, strangersAllTogetherFillNeitherDiskNorLog) {
  for (int one = 0; one < 20000; ++one) {
    const std::string mac = cat("52:54:01:00:", one / 100 % 100 < 10 ? "0" : "", one / 100 % 100, ":",
                                one % 100 < 10 ? "0" : "", one % 100);
    EXPECT_EQ(refused([&] { static_cast<void>(conductor->agents().look_up({mac}, "", "", "192.0.2.66")); }), 404);
  }
  conductor->settle();
  EXPECT_LE(store.events({0, 100000, "", false}).size(), 60U);
}

}  // namespace
}  // namespace hearth::bootstrap
