// A conductor in memory, with machines that obey, agents that keep what they were told, and time moved by hand.
#pragma once

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/conductor.hpp"
#include "bootstrap/power/plain_drivers.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::bootstrap {

/// Agents by URL. A command is RUNNING for `rounds` looks, then SUCCEEDED, or FAILED where its step is in `failing`.
class FakeAgents final : public AgentClient {
 public:
  struct Agent {
    Json commands = Json::array();
    int looks = 0;
  };
  std::map<std::string, Agent> agents;
  std::vector<std::string> told;        ///< "URL command"
  std::set<std::string> failing;        ///< short names of commands
  std::map<std::string, Json> strange;  ///< by URL: what is answered in place of any command's row
  bool silent = false;
  int rounds = 1;
  Json offered;  ///< what is answered where steps are asked for; null: those below

  [[nodiscard]] Json commands(const AgentAddress& address) override {
    if (silent) throw AgentFault(AgentFault::Reason::unreachable, "no route");
    Agent& agent = agents[address.url];
    ++agent.looks;
    if (agent.looks > rounds) {
      for (Json& row : agent.commands) finish(row);
    }
    return agent.commands;
  }
  Json run(const AgentAddress& address, const Order& order) override {
    if (silent) throw AgentFault(AgentFault::Reason::unreachable, "no route");
    told.push_back(cat(address.url, " ", order.command));
    if (strange.contains(address.url)) return strange[address.url];
    Agent& agent = agents[address.url];
    agent.looks = 0;
    Json row = {{"id", std::to_string(agent.commands.size() + 1)},
                {"command_name", order.short_name()},
                {"command_params", order.params},
                {"command_status", "RUNNING"},
                {"command_error", nullptr},
                {"command_result", nullptr}};
    if (order.wait) finish(row);
    agent.commands.push_back(row);
    return row;
  }
  [[nodiscard]] std::size_t count(const std::string& command) const {
    std::size_t found = 0;
    for (const std::string& line : told) found += line.find(command) != std::string::npos ? 1 : 0;
    return found;
  }

 private:
  void finish(Json& row) const {
    const bool fails = failing.contains(row["command_name"].get<std::string>());
    row["command_status"] = fails ? "FAILED" : "SUCCEEDED";
    if (fails) row["command_error"] = {{"message", "it broke"}, {"details", "for a reason"}};
    if (row["command_name"] == "get_deploy_steps") {
      row["command_result"] = Json::parse(R"({"deploy_steps": {"M": [
        {"interface": "deploy", "step": "write_image", "priority": 0},
        {"interface": "deploy", "step": "erase_devices", "priority": 0},
        {"interface": "deploy", "step": "erase_devices_metadata", "priority": 0}]}})");
    }
    if (row["command_name"] == "get_clean_steps") {
      row["command_result"] =
          Json::parse(R"({"clean_steps": {"M": [{"step": "erase", "priority": 10}, {"step": "no", "priority": 0},
        {"step": "check", "priority": 20}]}, "hardware_manager_version": {"m": "1"}})");
    }
    if (!offered.is_null() && row["command_name"].get<std::string>().ends_with("_steps"))
      row["command_result"] = offered;
  }
};

class ConductorFixture : public ::testing::Test {
 protected:
  ConductorFixture() {
    drivers.add("manual-management", std::make_unique<ManualDriver>());
    drivers.add("fake-hardware", std::make_unique<FakeDriver>());
    settings.power_sync_interval = Seconds(0);
    settings.poll_interval = Seconds(1);
    start();
  }

  /// A new process on the same state.
  void start() {
    conductor = nullptr;
    workers = std::make_unique<InlineWorkers>();
    conductor = std::make_unique<Conductor>(
        Conductor::Parts{store, drivers, agents, *workers, clock, log, settings, directory.path()});
  }

  std::string add(const std::string& driver, const std::string& mac = "52:54:00:00:00:01",
                  const std::string& name = "web1") {
    Node node;
    node.uuid = random_uuid();
    node.name = name;
    node.driver = driver;
    node.state = State::available;
    node.power = Power::off;
    node.ports = {new_port(mac, 1)};
    node.instance_info = {
        {"image_source", "http://192.0.2.1/i.raw"}, {"image_os_hash_algo", "sha256"}, {"image_os_hash_value", "0"}};
    conductor->ledger().add(node);
    conductor->settle();
    return node.uuid;
  }
  void set_state(const std::string& uuid, State state) {
    conductor->ledger().edit(uuid).state = state;
    conductor->settle();
  }
  [[nodiscard]] const Node& node(const std::string& uuid) const { return *conductor->ledger().by_uuid(uuid); }

  void pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      clock.advance(std::chrono::seconds(1));
      conductor->tick();
      conductor->tick();
    }
  }
  /// The machine's agent looks itself up and calls back; its token.
  std::string agent_calls(const std::string& uuid, const std::string& url = "http://192.0.2.9:9999",
                          const std::string& peer = "192.0.2.9") {
    const Json found = conductor->agents().look_up({node(uuid).ports.at(0).address}, "", "http://h", peer);
    const std::string token = found["config"]["agent_token"];
    beat(uuid, token, url, peer);
    return token;
  }
  void beat(const std::string& uuid, const std::string& token, const std::string& url = "http://192.0.2.9:9999",
            const std::string& peer = "192.0.2.9") {
    conductor->agents().heartbeat(uuid, {{"callback_url", url}, {"agent_token", token}, {"agent_version", "1"}}, peer);
    conductor->settle();
  }
  [[nodiscard]] std::vector<std::string> events(const std::string& uuid, const std::string& kind) {
    std::vector<std::string> texts;
    for (const Event& event : store.events({0, 10000, uuid, false})) {
      if (event.kind == kind) texts.push_back(event.text);
    }
    return texts;
  }

  TempDir directory = TempDir::create("/tmp", "hearth-conductor-");
  Store store{":memory:"};
  fakes::ManualClock clock;
  fakes::MemoryLogger log;
  Drivers drivers;
  FakeAgents agents;
  Settings settings;
  std::unique_ptr<InlineWorkers> workers;
  std::unique_ptr<Conductor> conductor;
};

}  // namespace hearth::bootstrap
