// node_record and node_from_record, of bootstrap/node/record.cpp.
#include <gtest/gtest.h>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {
namespace {

TEST(Record, everythingOfANodeSurvives) {
  Node node;
  node.uuid = new_uuid();
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
  node.instance_uuid = new_uuid();
  node.boot_device = "pxe";
  node.boot_device_persistent = true;
  node.traits = {"CUSTOM_GOLD"};
  node.ports = {new_port("52:54:00:00:00:01", 7)};
  node.ports[0].pxe_enabled = false;
  node.ports[0].local_link_connection = {{"port_id", "eth1"}};
  node.driver_info = {{"ipmi_password", "secret"}};
  node.properties = {{"cpus", 4}};
  node.instance_info = {{"image_source", "http://192.0.2.1/i"}};
  node.extra = {{"x_seed", {{"rack", "3"}}}};
  node.internal = {{"agent_url", "http://192.0.2.9:9999"}};
  node.fields = {{"resource_class", "gold"}};
  node.job = {"deploy", "write image", true, 2, 10, 20, 30, {{"a", 1}}, {{"command", "x"}}};
  node.instruction = {"power-on-network", "Switch it on.", 1, 2, 3};
  node.observed = Power::off;
  node.seen = 99;
  node.seen_how = "DHCP";
  node.created = 1;
  node.inspection_finished = 5;
  const Node back = node_from_record(Json::parse(node_record(node).dump()));
  EXPECT_EQ(node_record(back), node_record(node));
  EXPECT_EQ(back.state, State::wait_call_back);
  EXPECT_EQ(back.job.notes["command"], "x");
  EXPECT_TRUE(back.job.sent);
  EXPECT_FALSE(back.ports[0].pxe_enabled);
  EXPECT_EQ(back.instruction.deadline, 2);
}

TEST(Record, anEmptyNodeIsAnEmptyNode) {
  const Node back = node_from_record(node_record(Node()));
  EXPECT_FALSE(back.job.running());
  EXPECT_FALSE(back.target);
  EXPECT_TRUE(back.instruction.action.empty());
}

}  // namespace
}  // namespace hearth::bootstrap
