// node_record and node_from_record, of bootstrap/node/record.cpp.
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/sys/random.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {
namespace {

/// A node of which nothing is as in a new one.
Node full_node() {
  Node node;
  node.uuid = random_uuid();
  node.name = "web1";
  node.driver = "ipmi";
  node.state = State::wait_call_back;
  node.target = State::active;
  node.power = Power::on;
  node.target_power = "rebooting";
  node.last_error = "no";
  node.maintenance = true;
  node.maintenance_reason = "fan";
  node.fault = "power failure";
  node.instance_uuid = random_uuid();
  node.allocation = random_uuid();
  node.boot_device = "pxe";
  node.boot_device_persistent = true;
  node.traits = {"CUSTOM_GOLD"};
  node.ports = {new_port("52:54:00:00:00:01", 7)};
  node.ports[0].physical_network = "provisioning";
  node.ports[0].pxe_enabled = false;
  node.ports[0].extra = {{"slot", 1}};
  node.ports[0].group = random_uuid();
  node.ports[0].is_smartnic = true;
  node.ports[0].updated = 8;
  node.ports[0].local_link_connection = {{"port_id", "eth1"}};
  node.driver_info = {{"ipmi_password", "secret"}};
  node.properties = {{"cpus", 4}};
  node.instance_info = {{"image_source", "http://192.0.2.1/i"}};
  node.extra = {{"x_seed", {{"rack", "3"}}}};
  node.internal = {{"agent_url", "http://192.0.2.9:9999"}};
  node.fields = {{"resource_class", "gold"}};
  node.job = {JobKind::deploy, Stage::write_image, true, 2, 10, 20, 30, {{"a", 1}}, {.command = "x"}};
  node.instruction = {"power-on-network", "Switch it on.", 1, 2, 3};
  node.observed = Power::off;
  node.seen = 99;
  node.seen_how = "DHCP";
  node.created = 1;
  node.updated = 2;
  node.provision_updated = 3;
  node.inspection_started = 4;
  node.inspection_finished = 5;
  return node;
}

void expect_same(const Port& back, const Port& port) {
  EXPECT_EQ(back.uuid, port.uuid);
  EXPECT_EQ(back.address, port.address);
  EXPECT_EQ(back.physical_network, port.physical_network);
  EXPECT_EQ(back.pxe_enabled, port.pxe_enabled);
  EXPECT_EQ(back.group, port.group);
  EXPECT_EQ(back.is_smartnic, port.is_smartnic);
  EXPECT_EQ(back.local_link_connection, port.local_link_connection);
  EXPECT_EQ(back.extra, port.extra);
  EXPECT_EQ(back.created, port.created);
  EXPECT_EQ(back.updated, port.updated);
}

void expect_same(const Job& back, const Job& job) {
  EXPECT_EQ(back.kind, job.kind);
  EXPECT_EQ(back.stage, job.stage);
  EXPECT_EQ(back.sent, job.sent);
  EXPECT_EQ(back.attempt, job.attempt);
  EXPECT_EQ(back.started, job.started);
  EXPECT_EQ(back.stage_since, job.stage_since);
  EXPECT_EQ(back.retry_at, job.retry_at);
  EXPECT_EQ(back.arguments, job.arguments);
  EXPECT_EQ(back.notes, job.notes);
}

void expect_same(const Instruction& back, const Instruction& instruction) {
  EXPECT_EQ(back.action, instruction.action);
  EXPECT_EQ(back.text, instruction.text);
  EXPECT_EQ(back.since, instruction.since);
  EXPECT_EQ(back.deadline, instruction.deadline);
  EXPECT_EQ(back.reminded, instruction.reminded);
}

/// What the node is and does; member by member, for a field that is forgotten in both directions is one that is lost.
void expect_same_state(const Node& back, const Node& node) {
  EXPECT_EQ(back.state, node.state);
  EXPECT_EQ(back.target, node.target);
  EXPECT_EQ(back.power, node.power);
  EXPECT_EQ(back.target_power, node.target_power);
  EXPECT_EQ(back.last_error, node.last_error);
  EXPECT_EQ(back.maintenance, node.maintenance);
  EXPECT_EQ(back.maintenance_reason, node.maintenance_reason);
  EXPECT_EQ(back.fault, node.fault);
  EXPECT_EQ(back.instance_uuid, node.instance_uuid);
  EXPECT_EQ(back.allocation, node.allocation);
  EXPECT_EQ(back.boot_device, node.boot_device);
  EXPECT_EQ(back.boot_device_persistent, node.boot_device_persistent);
  EXPECT_EQ(back.observed, node.observed);
  EXPECT_EQ(back.seen, node.seen);
  EXPECT_EQ(back.seen_how, node.seen_how);
  expect_same(back.job, node.job);
  expect_same(back.instruction, node.instruction);
}

TEST(Record, everythingOfANodeSurvives) {
  const Node node = full_node();
  const Node back = node_from_record(json_or_null(format_json(node_record(node))));
  expect_same_state(back, node);
  EXPECT_EQ(back.uuid, node.uuid);
  EXPECT_EQ(back.name, node.name);
  EXPECT_EQ(back.driver, node.driver);
  EXPECT_EQ(back.traits, node.traits);
  EXPECT_EQ(back.driver_info, node.driver_info);
  EXPECT_EQ(back.properties, node.properties);
  EXPECT_EQ(back.instance_info, node.instance_info);
  EXPECT_EQ(back.extra, node.extra);
  EXPECT_EQ(back.internal, node.internal);
  EXPECT_EQ(back.fields, node.fields);
  EXPECT_EQ(back.created, node.created);
  EXPECT_EQ(back.updated, node.updated);
  EXPECT_EQ(back.provision_updated, node.provision_updated);
  EXPECT_EQ(back.inspection_started, node.inspection_started);
  EXPECT_EQ(back.inspection_finished, node.inspection_finished);
  ASSERT_EQ(back.ports.size(), 1U);
  expect_same(back.ports[0], node.ports[0]);
  EXPECT_EQ(node_record(back), node_record(node));
}

TEST(Record, nothingOfItIsAsInANewNodeAndNothingIsWrittenThatIsNotRead) {
  const Json record = node_record(full_node());
  const Json fresh = node_record(Node());
  for (const auto& [key, value] : record.items()) {
    EXPECT_TRUE(!fresh.contains(key) || value != fresh[key]) << key << " is not set in this test";
    Json without = record;
    without.erase(key);
    EXPECT_NE(node_record(node_from_record(without)), record) << key << " is not read";
  }
}

TEST(Record, aPowerThatNobodyKnowsStaysUnknown) {
  for (const Power power : {Power::unknown, Power::off, Power::on}) {
    Node node;
    node.power = power;
    node.observed = power;
    EXPECT_EQ(node_from_record(node_record(node)).power, power);
    EXPECT_EQ(node_from_record(node_record(node)).observed, power);
  }
}

TEST(Record, anEmptyNodeIsAnEmptyNode) {
  const Node back = node_from_record(node_record(Node()));
  EXPECT_FALSE(back.job.running());
  EXPECT_FALSE(back.target);
  EXPECT_TRUE(back.instruction.action.empty());
}

}  // namespace
}  // namespace hearth::bootstrap
