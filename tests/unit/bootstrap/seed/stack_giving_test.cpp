#include "bootstrap/seed/stack_giving.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

struct CutShort : std::runtime_error {
  CutShort() : std::runtime_error("cut") {}
};

constexpr const char* k_server = "11111111-2222-4333-8444-555555555555";

/// A seed with one stack, a Heat and the stack's agent, whose every call can be the last one of this attempt.
class SmallHeat final : public GivingWorld {
 public:
  fakes::ManualClock& clock;
  explicit SmallHeat(fakes::ManualClock& time) : clock(time) {}

  // The seed
  std::string owner, state;
  Json told;
  std::int64_t polled = 1;
  // Heat
  std::map<std::string, Json> configs, deployments;
  Json there;  ///< the stack
  Json adopted;
  bool adopts = true, runs_again = false, for_good = false, is_forgotten = false;
  std::set<std::string> services = {"orchestration"};
  // The agent
  bool follows = true, comes_back = true, asks_cloud = false;
  std::set<std::string> ran = {"ran-1"};
  int calls = 0, cut_at = -1, number = 0;
  bool cut_after = false;
  std::vector<std::string> lines;

  bool has_stacks() const override { return true; }
  Json ask_seed(const std::string&, const std::string&, const Json&) override { return Json(); }
  bool has(const std::string& service) override { return services.contains(service); }
  Sent upload(const std::string&, const fs::path&) override { return {}; }
  void tell(const std::string& line) override { lines.push_back(line); }
  /// Time goes by, and the agent asks.
  void pause() override {
    clock.advance(std::chrono::seconds(10));
    ++number;
    if (!asks_cloud) polled += 10;
    if (!there.is_null()) settle();
    if (state == "to mark" && follows) {
      for (const auto& [former, now] : told["ran"].items()) ran.insert(now.get<std::string>());
      state = "told";
    }
    if (state == "told" && follows) asks_cloud = true;
    if (!asks_cloud) return;
    for (const auto& [id, deployment] : deployments) {
      const Json& config = configs.at(deployment.at("config_id"));
      const bool is_ours = config.value("name", "") == "hearth-handover";
      EXPECT_TRUE(is_ours || ran.contains(deployment.at("config_id"))) << "it would run again";
      if (is_ours && config.value("group", "") == "script" && state == "told") state = "follows";
      if (is_ours && config.value("group", "") == "os-apply-config" && comes_back) asks_cloud = false;
    }
  }
  /// Heat has come to what it was asked for.
  void settle() {
    const std::string status = there.value("stack_status", "");
    if (status == "DELETE_IN_PROGRESS")
      there = nullptr;
    else if (status.ends_with("_IN_PROGRESS"))
      there["stack_status"] = status.starts_with("ADOPT") ? "ADOPT_COMPLETE" : "UPDATE_COMPLETE";
  }
  Json ask_stacks(const std::string& method, const std::string& target, const Json& body) override {
    return step([&]() -> Json {
      if (target == "/stacks") return {{"stacks", {{{"stack_name", "web"}, {"id", "s-1"}}}}};
      if (is_forgotten) throw Error(ErrorKind::not_found, "there is no stack web");
      if (target == "/stacks/web/s-1/export") return exported();
      if (method == "PUT") {
        owner = body.at("to");
        for_good = body.value("for_good", false);
        if (body.contains("agents")) {
          EXPECT_EQ(body["agents"][k_server]["os-collect-config"]["cfn"]["metadata_url"], "heat")
              << "before it is told";
          if (state.empty()) state = "to mark";
          told = body["agents"][k_server];
        }
      }
      if (method == "DELETE") owner = state = "";
      return {{"given", given()}};
    });
  }
  Answer ask_cloud(const std::string&, const std::string& method, const std::string& target,
                   const Json& body) override {
    return step([&]() -> Answer {
      if (target.starts_with("/software_configs")) return configs_call(method, target, body);
      if (target.starts_with("/software_deployments")) return deployments_call(method, target, body);
      return stacks_call(method, target, body);
    });
  }

 private:
  static Json exported() {
    return Json::parse(R"({"name": "web", "action": "CREATE", "status": "COMPLETE", "environment": {"parameters": {}},
      "template": {"resources": {"s": {"type": "OS::Heat::DeployedServer"}}}, "files": {}, "resources": {
        "s": {"type": "OS::Heat::DeployedServer", "action": "CREATE", "status": "COMPLETE", "resource_id":
              "11111111-2222-4333-8444-555555555555", "metadata": {"deployments": [{"id": "ran-1", "name": "d"}]}},
        "c": {"type": "OS::Heat::SoftwareConfig", "action": "CREATE", "status": "COMPLETE"},
        "d": {"type": "OS::Heat::SoftwareDeployment", "action": "CREATE", "status": "COMPLETE"}}})");
  }
  [[nodiscard]] Json given() const {
    Json row = {{"id", k_server},
                {"path", "s"},
                {"name", "node-0"},
                {"transport", "POLL_SERVER_CFN"},
                {"state", state},
                {"last_poll", polled},
                {"os-collect-config", {{"cfn", {{"metadata_url", "seed"}}}}},
                {"arrival", {{"name", "hearth-handover"}, {"group", "script"}, {"config", "arrived"}}}};
    return {{"to", owner.empty() ? Json() : Json(owner)},
            {"servers", {row}},
            {"configs", {{{"path", "c"}, {"config", {{"name", "c"}, {"group", "script"}}}}}},
            {"deployments",
             {{{"path", "d"},
               {"server_id", k_server},
               {"action", "CREATE"},
               {"config", {{"id", "ran-1"}, {"name", "d"}}},
               {"output_values", {{"result", "42"}}}}}}};
  }
  Answer configs_call(const std::string& method, const std::string& target, const Json& body) {
    if (method == "DELETE") return {configs.erase(target.substr(target.rfind('/') + 1)) == 1 ? 204 : 404, Json()};
    const std::string id = cat("config-", ++number);
    configs[id] = body;
    return {200, {{"software_config", {{"id", id}}}}};
  }
  Answer deployments_call(const std::string& method, const std::string& target, const Json& body) {
    const std::string id = target.substr(target.rfind('/') + 1);
    if (method == "DELETE") return {deployments.erase(id) == 1 ? 204 : 404, Json()};
    if (method == "GET") {
      Json rows = Json::array();
      for (const auto& [each, row] : deployments) rows.push_back({{"id", each}, {"config_id", row["config_id"]}});
      return {200, {{"software_deployments", rows}}};
    }
    if (method == "PUT") {
      deployments[id].update(body);
      return {200, Json()};
    }
    EXPECT_FALSE(owner.empty()) << "two owners: the seed has not let go of it";
    const std::string made = cat("deployment-", ++number);
    deployments[made] = body;
    return {200, {{"software_deployment", {{"id", made}}}}};
  }
  Answer stacks_call(const std::string& method, const std::string& target, const Json& body) {
    if (target == "/stacks" && body.at("stack_name") == "hearth-handover")
      return {400, {{"error", {{"message", adopts ? "The Resource Type (Hearth::No::Such::Type)" : "not supported"}}}}};
    if (target.starts_with("/stacks/hearth-handover/")) return {404, Json()};
    if (target == "/stacks/preview") return {200, Json()};
    if (target.starts_with("/stacks?name=")) {
      Json rows = Json::array();
      if (!there.is_null()) rows.push_back({{"id", "h-1"}, {"tags", {there["tags"]}}});
      return {200, {{"stacks", rows}}};
    }
    if (target == "/stacks") {
      there = {{"stack_status", "ADOPT_IN_PROGRESS"}, {"updated_time", nullptr}, {"tags", body.at("tags")}};
      adopted = Json::parse(body.at("adopt_stack_data").get<std::string>());
      return {201, {{"stack", {{"id", "h-1"}}}}};
    }
    if (there.is_null() && method == "GET") return {200, {{"stack", {{"stack_status", "DELETE_COMPLETE"}}}}};
    if (there.is_null()) return {404, Json()};
    if (target.ends_with("/abandon")) {
      if (there["stack_status"] == "DELETE_IN_PROGRESS") return {404, Json()};
      if (there["stack_status"].get<std::string>().ends_with("_IN_PROGRESS")) return {409, Json()};
      there["stack_status"] = "DELETE_IN_PROGRESS";  // until Heat has come to it
      return {200, Json()};
    }
    if (method == "PUT") {
      EXPECT_EQ(there["stack_status"], "ADOPT_COMPLETE");
      there["stack_status"] = "UPDATE_IN_PROGRESS";
      there["updated_time"] = cat("t", ++number);
      return {202, Json()};
    }
    if (target.ends_with("/metadata")) {
      Json entries = adopted["resources"]["s"]["metadata"]["deployments"];
      if (runs_again) entries.push_back({{"id", "another"}, {"name", "d"}});
      Json section = Json::object();
      if (there["stack_status"] == "UPDATE_COMPLETE") section = {{"cfn", {{"metadata_url", "heat"}}}};
      return {200, {{"metadata", {{"deployments", entries}, {"os-collect-config", section}}}}};
    }
    if (target.find("/resources?") != std::string::npos && there["stack_status"] == "ADOPT_IN_PROGRESS")
      return {200, {{"resources", Json::array()}}};
    if (target.find("/resources?") != std::string::npos)
      return {200,
              {{"resources",
                {{{"physical_resource_id", k_server},
                  {"resource_type", "OS::Heat::DeployedServer"},
                  {"links", {{{"rel", "self"}, {"href", "http://h/v1/p/stacks/web/h-1/resources/s"}}}}}}}}};
    return {200, {{"stack", there}}};
  }

  template <typename Act>
  auto step(const Act& act) -> decltype(act()) {
    const bool now = calls++ == cut_at;
    if (now && !cut_after) throw CutShort();
    auto result = act();
    if (now) throw CutShort();
    return result;
  }
};

class StackGivingTest : public ::testing::Test {
 protected:
  static constexpr std::chrono::minutes k_patience{1};

  void look(SmallHeat& world) {
    journal_ = {};
    journal_.id = "handover";
    journal_.to = "cloud";
    std::vector<std::string> faults;
    giving(world).look({}, faults);
    if (!faults.empty()) throw Error(ErrorKind::input, join(faults, "\n"));
    kept_ = journal_;
  }
  StackGiving giving(SmallHeat& world) {
    return {world, clock, journal_, [this] { kept_ = journal_; }};
  }
  /// What the journal kept is all that the next attempt knows.
  void give(SmallHeat& world) {
    journal_ = kept_;
    StackGiving stacks = giving(world);
    stacks.give();
    stacks.follow(k_patience);
  }
  void back(SmallHeat& world, const std::set<std::string>& lost = {}) {
    journal_ = kept_;
    std::vector<std::string> used;
    StackGiving stacks = giving(world);
    stacks.use_in_cloud(used);
    if (!used.empty()) throw Error(ErrorKind::input, join(used, ", "));
    stacks.back(lost, k_patience);
  }
  void expect_given(SmallHeat& world) {
    EXPECT_EQ(world.owner, "cloud");
    EXPECT_EQ(world.state, "follows");
    EXPECT_TRUE(world.asks_cloud);
    EXPECT_EQ(world.deployments.size(), 1U) << "that of the stack, and no instruction";
    EXPECT_EQ(giving(world).behind(), std::vector<std::string>());
    EXPECT_EQ(journal_.stacks.at(0).step, "there");
    EXPECT_EQ(world.adopted["resources"]["d"]["resource_id"], world.deployments.begin()->first);
    EXPECT_EQ(world.adopted["resources"]["s"]["resource_id"], k_server);
    EXPECT_EQ(world.deployments.begin()->second["output_values"]["result"], "42");
  }
  static void expect_back(const SmallHeat& world) {
    EXPECT_EQ(world.owner, "");
    EXPECT_FALSE(world.asks_cloud);
    EXPECT_TRUE(world.there.is_null());
    EXPECT_TRUE(world.deployments.empty());
  }
  template <typename Act>
  static bool cut(const Act& act) {
    try {
      act();
      return false;
    } catch (const CutShort&) {
      return true;
    }
  }
  template <typename Act>
  static std::string failure(const Act& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }

  fakes::ManualClock clock;
  GivingJournal journal_, kept_;
};

TEST_F(StackGivingTest, CutAnywhereItGoesOnOrComesBack) {
  for (const bool after : {false, true}) {
    for (int at = 0;; ++at) {
      SmallHeat world(clock);
      look(world);
      world.cut_at = world.calls + at;
      world.cut_after = after;
      const bool was_cut = cut([&] { give(world); });
      world.cut_at = -1;
      if (at % 2 == 0) {
        give(world);
        expect_given(world);
        EXPECT_LE(world.configs.size(), 4U) << "configs of attempts that were cut off, at most";
        world.cut_at = world.calls + at;
        static_cast<void>(cut([&] { back(world); }));
        world.cut_at = -1;
      }
      back(world);
      expect_back(world);
      if (was_cut) continue;
      EXPECT_GT(at, 20);
      EXPECT_TRUE(world.configs.empty());
      break;
    }
  }
}

TEST_F(StackGivingTest, WhatIsFinalIsGivenForGoodUnlessTheSeedHasItNoMore) {
  SmallHeat world(clock);
  look(world);
  give(world);
  EXPECT_FALSE(world.for_good) << "--back may return it yet";
  giving(world).make_final();
  EXPECT_TRUE(world.for_good);
  EXPECT_EQ(world.state, "follows") << "what its agents were told stays";
  world.owner = "";
  world.for_good = false;
  giving(world).make_final();
  EXPECT_FALSE(world.for_good) << "it came from a backup, and was not given again";
  world.is_forgotten = true;
  giving(world).make_final();
}

TEST_F(StackGivingTest, AnAgentThatDoesNotFollowIsNamedAndServedOn) {
  SmallHeat world(clock);
  look(world);
  world.follows = false;
  give(world);
  EXPECT_EQ(giving(world).behind(), std::vector<std::string>{"node-0"});
  EXPECT_EQ(journal_.stacks[0].step, "told");
  EXPECT_EQ(world.state, "to mark");
  world.follows = true;
  give(world);
  expect_given(world);
}

TEST_F(StackGivingTest, OfWhatOthersDeployThereNothingIsTakenAway) {
  SmallHeat world(clock);
  look(world);
  world.follows = false;
  give(world);
  world.follows = true;
  world.ran.insert("theirs");
  world.configs["theirs"] = {{"name", "theirs"}};
  world.deployments["x"] = {{"config_id", "theirs"}};
  give(world);
  EXPECT_EQ(journal_.stacks[0].step, "there");
  EXPECT_EQ(world.deployments.count("x"), 1U);
  EXPECT_EQ(world.deployments.size(), 2U) << "that of the stack, theirs, and no instruction";
}

TEST_F(StackGivingTest, AnAgentThatDoesNotComeBackKeepsTheCloudTellingIt) {
  SmallHeat world(clock);
  look(world);
  give(world);
  world.comes_back = false;
  EXPECT_NE(failure([&] { back(world); }).find("have not come back to the seed yet: node-0"), std::string::npos);
  EXPECT_FALSE(world.there.is_null());
  EXPECT_EQ(world.deployments.size(), 2U) << "what tells it to come back";
  back(world, {"node-0"});
  EXPECT_TRUE(world.there.is_null());
}

TEST_F(StackGivingTest, WhatHeatWouldRunAgainNoAgentIsToldOf) {
  SmallHeat world(clock);
  look(world);
  world.runs_again = true;
  EXPECT_NE(failure([&] { give(world); }).find("made the deployment d of stack web anew"), std::string::npos);
  EXPECT_EQ(world.state, "");
  back(world);
  expect_back(world);
}

TEST_F(StackGivingTest, WhatTheCloudHasChangedIsNotTakenFromIt) {
  SmallHeat world(clock);
  look(world);
  give(world);
  world.there["updated_time"] = "later";
  EXPECT_EQ(failure([&] { back(world); }), "stack web was changed there");
  expect_given(world);
  world.there["updated_time"] = journal_.stacks[0].updated;
  world.deployments["x"] = {{"config_id", "theirs"}};
  EXPECT_EQ(failure([&] { back(world); }), "stack web: node-0 has another deployment there, x");
  world.deployments.erase("x");
  world.there = nullptr;
  EXPECT_EQ(failure([&] { back(world); }), "stack web is not there, or not for who asks");
}

TEST_F(StackGivingTest, WhatIsWrongIsNamedBeforeAnythingIsGiven) {
  SmallHeat world(clock);
  world.adopts = false;
  world.owner = "another";
  world.there = {{"tags", "others"}};
  world.deployments["x"] = {{"config_id", "y"}};
  const std::string story = failure([&] { look(world); });
  for (const char* part : {"adopts no stacks", "enable_stack_adopt = true", "it was given to another",
                           "the cloud has one of that name already", "the cloud has deployments for its server"})
    EXPECT_NE(story.find(part), std::string::npos) << part << "\n" << story;
  world.services.clear();
  EXPECT_NE(failure([&] { look(world); }).find("no orchestration service"), std::string::npos);
  EXPECT_EQ(world.owner, "another");
}

TEST_F(StackGivingTest, AStackThatIsNotToldYetCanBeLeft) {
  SmallHeat world(clock);
  look(world);
  world.runs_again = true;
  static_cast<void>(failure([&] { give(world); }));
  giving(world).leave(journal_.stacks[0]);
  expect_back(world);
  EXPECT_TRUE(world.configs.empty());
}

}  // namespace
}  // namespace hearth::bootstrap
