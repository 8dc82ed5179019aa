// Stacks that leave and come back, previews, and servers as machines.
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

TEST_F(EngineTest, AStackThatWasAbandonedAndAdoptedIsTheSameForItsAgents) {
  const std::string id = create("s", k_one_server);
  (void)engine_->signal(id, "d1", Json::parse(R"({"result": "42"})"));
  (void)engine_->signal(id, "d2", Json::object());
  const Json before = metadata("s", "s");
  const Json data = engine_->abandon(id);
  EXPECT_EQ(data["resources"]["d1"]["status"], "COMPLETE");
  EXPECT_THROW((void)engine_->find("s"), EngineError);
  engine_->adopt("admin", "s", body(k_one_server), data);
  EXPECT_EQ(status("s"), "ADOPT_COMPLETE");
  EXPECT_EQ(metadata("s", "s")["deployments"], before["deployments"]);
  EXPECT_EQ(metadata("s", "s")["os-collect-config"]["cfn"]["access_key_id"],
            before["os-collect-config"]["cfn"]["access_key_id"]);
  EXPECT_EQ(maker_.last->known["d1"]["result"], "42");
}

TEST_F(EngineTest, WhatAMachineOfAnAbandonedStackHoldsWorksForTheAdoptedOne) {
  constexpr const char* k_waiting =
      R"({"s": {"role": "server"}, "h": {"role": "wait_handle", "transport": "CFN_SIGNAL"},
    "d": {"role": "deployment", "server": "s", "needs": ["s"]}})";
  const std::string id = create("s", k_waiting);
  const std::string key = at("s", "d").deployment.key_id;
  const std::string handle_key = at("s", "h").data.key;
  (void)engine_->signal(id, "d", Json::object());
  const Json data = engine_->abandon(id);
  EXPECT_FALSE(engine_->access_key(key));
  restart();
  EXPECT_NE(engine_->adopt("other", "theirs", body(k_waiting), data), id)
      << "what is made of the id must not follow from an export that another project shows";
  engine_->act(engine_->find("theirs", "other").live->tree.id, Action::erase);
  EXPECT_EQ(engine_->adopt("admin", "renamed", body(k_waiting), data), id);
  for (const auto& [name, held] : {std::pair{"d", key}, {"h", handle_key}}) {
    const std::optional<AccessKey> found = engine_->access_key(held);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->stack_id, id) << "in the URL that the machine has";
    EXPECT_EQ(found->resource, name);
    EXPECT_EQ(engine_->signal(id, name, Json::object()).kind, SignalOutcome::Kind::taken);
  }
  EXPECT_NE(engine_->adopt("admin", "twice", body(k_waiting), data), id) << "it is there already";
}

TEST_F(EngineTest, AnExportOfAForeignOrchestratorIsTakenOverWithoutRunningAnything) {
  engine_->adopt("admin", "s", body(k_one_server), Json::parse(R"({"resources": {"d1": {"resource_id": "dep-7"}}})"));
  EXPECT_EQ(status("s"), "ADOPT_COMPLETE");
  EXPECT_EQ(at("s", "d1").physical_id, "dep-7");
  EXPECT_EQ(metadata("s", "s")["deployments"], Json::array());
}

TEST_F(EngineTest, ASnapshotIsADefinitionToGoBackTo) {
  const std::string id = create("s", R"({"a": {"properties": {"v": 1}}})");
  const std::string snapshot = engine_->snapshot(*engine_->find("s").live, "first")["id"];
  engine_->update(id, body(R"({"a": {"properties": {"v": 2}}})"));
  restart();
  ASSERT_EQ(engine_->snapshots(id).size(), 1U);
  engine_->restore(id, snapshot);
  EXPECT_EQ(at("s", "a").fingerprint, R"({"v":1})");
  engine_->remove_snapshot(id, snapshot);
  EXPECT_TRUE(engine_->snapshots(id).empty());
  EXPECT_THROW(engine_->restore(id, snapshot), EngineError);
}

TEST_F(EngineTest, APreviewSaysWhatWouldBeAndDoesNothing) {
  const std::string id = create("s", R"({"same": {}, "other": {"properties": {"v": 1}}, "config": {"role": "fixed"},
    "gone": {}, "group": {"role": "nested", "stack": {"0": {}}}})");
  const UpdatePreview preview = engine_->preview_update(id, body(R"({"same": {}, "other": {"properties": {"v": 2}},
    "config": {"role": "fixed", "properties": {"v": 2}}, "new": {}, "group": {"role": "nested", "stack": {"0": {}, "1": {}}}})"));
  std::vector<std::string> told;
  for (const ResourceChange& change : preview.changes) {
    const StackTree& tree = change.tree == 0 ? engine_->find("s").live->tree : preview.next.tree;
    told.push_back(cat(tree.resource(change.resource).path, " ", static_cast<int>(change.kind)));
  }
  EXPECT_THAT(told, testing::UnorderedElementsAre("same 3", "other 4", "config 2", "gone 1", "new 0", "group 4",
                                                  "group.0 3", "group.1 0"));
  EXPECT_EQ(status("s"), "CREATE_COMPLETE");
  const StackPreview fresh = engine_->preview("admin", "t", body(R"({"g": {"role": "nested", "stack": {"0": {}}}})"));
  EXPECT_NE(fresh.tree.find_path("g.0"), k_none);
  EXPECT_THROW((void)engine_->find("t"), EngineError);
}

TEST_F(EngineTest, AnUpdateThatIsCancelledGoesBackWhenThatIsWanted) {
  constexpr const char* before = R"({"s": {"role": "server"}, "a": {"properties": {"v": 1}}})";
  constexpr const char* after =
      R"({"s": {"role": "server"}, "a": {"properties": {"v": 2}}, "d": {"role": "deployment", "server": "s", "needs": ["s"]}})";
  const std::string id = create("s", before);
  EXPECT_THROW(engine_->cancel(id, true), EngineError);
  engine_->update(id, body(after));
  EXPECT_EQ(status("s"), "UPDATE_IN_PROGRESS");
  engine_->cancel(id, true);
  EXPECT_EQ(status("s"), "ROLLBACK_COMPLETE");
  EXPECT_EQ(at("s", "a").fingerprint, R"({"v":1})");
  EXPECT_EQ(engine_->find("s").live->tree.find_path("d"), k_none);
  engine_->update(id, body(after));
  engine_->cancel(id, false);
  EXPECT_EQ(status("s"), "UPDATE_FAILED");
  EXPECT_EQ(engine_->find("s").live->tree.root().reason, "Operation cancelled");
}

TEST_F(EngineTest, AFailedUpdateWithRollbackGoesBackToWhatWas) {
  const std::string id = create("s", R"({"a": {"properties": {"v": 1}}})");
  Json next = body(R"({"a": {"properties": {"v": 2}}, "b": {"broken": "no", "needs": ["a"]}})");
  next["disable_rollback"] = false;
  engine_->update(id, next);
  EXPECT_EQ(status("s"), "ROLLBACK_COMPLETE");
  EXPECT_EQ(at("s", "a").fingerprint, R"({"v":1})");
}

class MachinesTest : public EngineTest {
 protected:
  MachinesTest() {
    engine_ = std::make_unique<Engine>(Engine::World{*repository_, maker_, clock_, log_, true}, PublicUrls{});
  }
};

constexpr const char* k_machine = R"({"s": {"role": "server", "name": "node-0.example.org", "is_machine": true,
  "properties": {"flavor": "big", "user_data": "#!/bin/sh"}}, "after": {"needs": ["s"], "properties": {"at": "@s.first_address"}}})";

TEST_F(MachinesTest, AServerWaitsForItsMachineAndThenTellsItsAddress) {
  std::vector<std::string> seen;
  engine_->watch([&](const EventRecord& event) { seen.push_back(event.resource + " " + event.status); });
  create("s", k_machine);
  EXPECT_EQ(status("s"), "CREATE_IN_PROGRESS");
  std::vector<WantedServer> wanted = engine_->servers("s");
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_EQ(wanted[0].properties["flavor"], "big");
  EXPECT_TRUE(wanted[0].machine.is_null());
  const auto waits_for = [&] {
    const LiveTree& live = *engine_->find("s").live;
    return engine_->waits_for(live, live.tree.find_path("s"));
  };
  EXPECT_EQ(waits_for(), "no machine is given to it yet: hearth deploy chooses a node and deploys it");
  engine_->machine_came(wanted[0].id, {{"address", "192.0.2.5"}, {"first_address", "192.0.2.5"}});
  EXPECT_EQ(status("s"), "CREATE_COMPLETE");
  EXPECT_EQ(waits_for(), "");
  EXPECT_EQ(at("s", "after").fingerprint, R"({"at":"192.0.2.5"})");
  EXPECT_THAT(seen, testing::Contains("s CREATE_COMPLETE"));
  const std::optional<Machine> machine = engine_->machine_at("192.0.2.5");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->meta_data["hostname"], "node-0");
  EXPECT_EQ(machine->meta_data["local-ipv4"], "192.0.2.5");
  EXPECT_EQ(machine->user_data, "#!/bin/sh");
  EXPECT_EQ(machine->openstack["meta_data.json"]["uuid"], wanted[0].id);
  EXPECT_FALSE(engine_->machine_at("192.0.2.6"));
  EXPECT_THROW(engine_->machine_came("nobody", Json::object()), EngineError);
}

TEST_F(MachinesTest, AMachineLearnsItsKeysAndBlockDevices) {
  create("s", R"({"s": {"role": "server", "is_machine": true, "public_keys": {"admin": "ssh-ed25519 A"}, "properties": {
    "block_device_mapping_v2": [{"device_name": "/dev/sda", "boot_index": 0}, {"device_name": "sdb", "swap_size": 1},
      {"device_name": "sdc", "ephemeral_size": 2}, {"device_name": "sdd", "volume_id": "v"}, {"volume_id": "w"}]}}})");
  const std::string id = engine_->servers("s")[0].id;
  engine_->machine_came(id, {{"address", "192.0.2.5"}, {"public_keys", {{"node", "ssh-ed25519 B"}}}});
  const Json tree = engine_->machine_at("192.0.2.5")->meta_data;
  EXPECT_EQ(tree["block-device-mapping"], Json({{"ami", "sda"},
                                                {"root", "/dev/sda"},
                                                {"swap", "/dev/sdb"},
                                                {"ephemeral0", "/dev/sdc"},
                                                {"ebs0", "/dev/sdd"}}));
  EXPECT_EQ(tree["public-keys"]["0"], Json({{"_name", "admin"}, {"openssh-key", "ssh-ed25519 A"}}));
  EXPECT_EQ(tree["public-keys"]["1"], Json({{"_name", "node"}, {"openssh-key", "ssh-ed25519 B"}}));
}

TEST_F(MachinesTest, AMachineThatDoesNotComeFailsItsStack) {
  create("s", k_machine);
  engine_->machine_failed(engine_->servers("s")[0].id, "no power");
  EXPECT_EQ(status("s"), "CREATE_FAILED");
  EXPECT_EQ(at("s", "s").reason, "ResourceInError: resources.s: Went to status ERROR due to \"no power\"");
}

TEST_F(EngineTest, AServerMarkedUnhealthyIsReplacedAndItsDeploymentsRunAgain) {
  const std::string id =
      create("s", R"({"s": {"role": "server"}, "d": {"role": "deployment", "server": "s", "needs": ["s"]}})");
  (void)engine_->signal(id, "d", Json::object());
  const std::string before = at("s", "d").deployment.config_id;
  StackPlace place = engine_->find("s");
  engine_->mark(*place.live, place.live->tree.find_path("s"), true, "its disk died");
  EXPECT_EQ(status_text(at("s", "s").action, at("s", "s").status), "CHECK_FAILED");
  engine_->update(
      id,
      body(
          R"({"s": {"role": "server"}, "d": {"role": "deployment", "server": "s", "needs": ["s"], "replaced_by": ["server"]}})"));
  EXPECT_EQ(status("s"), "UPDATE_IN_PROGRESS");
  EXPECT_NE(at("s", "d").deployment.config_id, before);
  EXPECT_EQ(at("s", "d").deployment.action, Action::create);
}

TEST_F(EngineTest, WhatIsDeployedByHandReachesTheServerToo) {
  create("s", R"({"s": {"role": "server"}})");
  const std::string server = at("s", "s").physical_id;
  const Json before = metadata("s", "s");
  const Json config = engine_->software().add_config({{"name", "Hand"}, {"group", "script"}, {"config", "date"}}, 5);
  engine_->software().add_deployment({{"config_id", config["id"]}, {"server_id", server}}, 5);
  EXPECT_TRUE(engine_->touch_server(server));
  EXPECT_EQ(metadata("s", "s")["deployments"][0]["config"], "date");
  restart();
  EXPECT_EQ(metadata("s", "s")["deployments"][0]["name"], "Hand");
  engine_->software().remove_deployment(engine_->software().deployments().begin()->first);
  engine_->touch_server(server);
  EXPECT_EQ(metadata("s", "s"), before);
  EXPECT_TRUE(engine_->software().remove_config(config["id"]));
  EXPECT_FALSE(engine_->touch_server("nobody"));
}

}  // namespace
}  // namespace hearth::metadata::live
