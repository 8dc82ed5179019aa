// Stacks that another service takes over.
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

constexpr const char* k_cloud = "http://cloud:5000";
const Json k_there = {{"collectors", {"cfn", "local"}}, {"cfn", {{"metadata_url", "http://heat:8000/v1/"}}}};

class GivenStackTest : public EngineTest {
 protected:
  GivenStackTest() : id_(create("s", k_one_server)) {
    (void)engine_->signal(id_, "d1", Json::parse(R"({"result": "42"})"));
    (void)engine_->signal(id_, "d2", Json::object());
    before_ = metadata("s", "s");
  }
  Json given() { return engine_->given(*engine_->find("s").live); }
  Json server() { return given()["servers"][0]; }
  void give() {
    Json ran = Json::object();
    for (const Json& entry : before_["deployments"]) ran[entry["id"].get<std::string>()] = "new";
    engine_->give(id_, k_cloud, {{at("s", "s").physical_id, {{"ran", ran}, {"os-collect-config", k_there}}}});
  }
  void signal(const Json& body) { EXPECT_EQ(engine_->signal(id_, "s", body).kind, SignalOutcome::Kind::taken); }

  std::string id_;
  Json before_;
};

TEST_F(GivenStackTest, AnAgentMarksWhatRanBeforeItIsToldWhereToAsk) {
  give();
  restart();
  const Json marking = metadata("s", "s");
  EXPECT_EQ(marking["os-collect-config"], before_["os-collect-config"]);
  ASSERT_EQ(marking["deployments"].size(), before_["deployments"].size() + 1);
  const Json& entry = marking["deployments"].back();
  EXPECT_EQ(entry["name"], "hearth-handover");
  const std::string ran = before_["deployments"][0]["id"];
  EXPECT_NE(entry["config"].get<std::string>().find(ran + " new\n"), std::string::npos) << entry["config"];
  EXPECT_EQ(metadata("s", "s")["deployments"].back()["id"], entry["id"]) << "it runs once";
  signal({{"deploy_status_code", 1}, {"deploy_stderr", "no space"}, {"marked", "yes"}});
  EXPECT_EQ(server()["state"], "to mark");
  EXPECT_EQ(server()["reason"], "exit code 1: no space");
  signal({{"deploy_status_code", 0}, {"marked", "yes"}});
  restart();
  EXPECT_EQ(metadata("s", "s")["os-collect-config"], k_there);
  EXPECT_EQ(metadata("s", "s")["deployments"], before_["deployments"]);
  EXPECT_EQ(server()["state"], "told");
  signal({{"deploy_status_code", "0"}, {"arrived", "yes"}});
  EXPECT_EQ(server()["state"], "follows");
  give();
  EXPECT_EQ(server()["state"], "follows") << "to be told the same again changes nothing";
}

TEST_F(GivenStackTest, NothingOfItChangesUntilItIsTakenBack) {
  give();
  restart();
  EXPECT_THROW(engine_->update(id_, body(k_one_server)), EngineError);
  EXPECT_THROW(engine_->act(id_, Action::erase), EngineError);
  EXPECT_THROW(engine_->act(id_, Action::check), EngineError);
  EXPECT_THROW(engine_->rotate(id_, 0), EngineError);
  EXPECT_THROW(engine_->mark(*engine_->find("s").live, 0, true, ""), EngineError);
  EXPECT_THROW(engine_->give(id_, "http://other:5000", Json::object()), EngineError);
  EXPECT_THROW(engine_->abandon(id_), EngineError) << "its agents are served here yet";
  EXPECT_EQ(given()["to"], k_cloud);
  signal({{"marked", "yes"}});
  engine_->take_back(id_);
  restart();
  EXPECT_EQ(metadata("s", "s"), before_) << "so that its agents run nothing";
  EXPECT_EQ(given()["to"], Json());
  engine_->act(id_, Action::check);
  EXPECT_EQ(status("s"), "CHECK_COMPLETE");
}

TEST_F(GivenStackTest, WhatWasGivenForGoodCanBeForgottenAndDoesNotComeBack) {
  give();
  EXPECT_EQ(given()["for_good"], false);
  engine_->give(id_, k_cloud, Json::object(), true);
  restart();
  EXPECT_EQ(given()["for_good"], true);
  EXPECT_EQ(server()["state"], "to mark") << "what its agents were told stays";
  EXPECT_THROW(engine_->take_back(id_), EngineError);
  EXPECT_THROW(engine_->act(id_, Action::erase), EngineError);
  (void)engine_->abandon(id_);
  EXPECT_THROW((void)engine_->find("s"), EngineError);
}

TEST_F(GivenStackTest, WhatAnotherServiceHasToKnowIsTold) {
  const Json told = given();
  ASSERT_EQ(told["deployments"].size(), 2U);
  const Json& first = told["deployments"][0];
  EXPECT_EQ(first["path"], "d1");
  EXPECT_EQ(first["server_id"], at("s", "s").physical_id);
  EXPECT_EQ(first["output_values"]["result"], "42");
  EXPECT_EQ(first["config"]["id"], at("s", "d1").deployment.config_id);
  EXPECT_EQ(server()["os-collect-config"], before_["os-collect-config"]);
  EXPECT_EQ(server()["by_hand"], Json::array());
  EXPECT_NE(format_json(server()["arrival"]).find("/v1/signal/"), std::string::npos);
}

TEST_F(GivenStackTest, AServerWithoutDeploymentsIsToldAtOnce) {
  engine_->give(id_, k_cloud, {{at("s", "s").physical_id, {{"os-collect-config", k_there}}}});
  EXPECT_EQ(metadata("s", "s")["os-collect-config"], k_there);
}

}  // namespace
}  // namespace hearth::metadata::live
