#include "bootstrap/client/node_text.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

const Json k_nodes =
    Json::parse(R"([{"uuid": "ce9937be-d2f9-4d1b-b3ae-016c128ed6af", "name": null, "instance_uuid": null,
  "power_state": "power off", "provision_state": "wait call-back", "maintenance": false}])");

TEST(NodeText, theFieldsTable) {
  EXPECT_EQ(node_table(k_nodes),
            "+--------------------------------------+------+---------------+-------------+--------------------+--------"
            "-----+\n"
            "| UUID                                 | Name | Instance UUID | Power State | Provisioning State | "
            "Maintenance |\n"
            "+--------------------------------------+------+---------------+-------------+--------------------+--------"
            "-----+\n"
            "| ce9937be-d2f9-4d1b-b3ae-016c128ed6af | None | None          | power off   | wait call-back     | False  "
            "     |\n"
            "+--------------------------------------+------+---------------+-------------+--------------------+--------"
            "-----+\n");
  EXPECT_NE(node_table(k_nodes, true).find("| None |               | power off   | deploy wait-callback | False "),
            std::string::npos);
}

TEST(NodeText, aTerminalThatIsTooNarrowForTheTableGetsAFewLinesForEachNode) {
  Json nodes = k_nodes;
  nodes.push_back({{"uuid", "11111111-2222-3333-4444-555555555555"},
                   {"name", "web1"},
                   {"instance_uuid", "66666666-2222-3333-4444-555555555555"},
                   {"power_state", "power on"},
                   {"provision_state", "deploy failed"},
                   {"maintenance", true},
                   {"last_error", "no disk that fits was found on it"}});
  EXPECT_EQ(node_table(nodes, false, 0, 60),
            "ce9937be-d2f9-4d1b-b3ae-016c128ed6af: wait call-back, power\n"
            "off\n"
            "web1: deploy failed, power on, maintenance\n"
            "  11111111-2222-3333-4444-555555555555\n"
            "  instance 66666666-2222-3333-4444-555555555555\n"
            "  no disk that fits was found on it\n");
  for (const std::size_t room : {20U, 39U, 60U, 79U, 100U, 140U, 200U}) {
    for (const std::string& line : split_lines(node_table(nodes, false, 0, room))) EXPECT_LE(line.size(), room) << line;
  }
  EXPECT_EQ(node_table(nodes, false, 0, 200).front(), '+') << "a table, where there is room";
}

TEST(NodeText, givesTheTerminalNoOrders) {
  EXPECT_EQ(event_line({{"at", "2026-11-25T10:00:00.000000"}, {"kind", "power"}, {"text", "off\x1b[2J\nERROR\n"}}),
            "2026-11-25 10:00:00 UTC site power: off\\x1b[2J; ERROR");
}

/// The last cell of the only row.
std::string reason(Json node) {
  node.update(
      {{"uuid", "u"}, {"name", "web"}, {"instance_uuid", nullptr}, {"power_state", nullptr}, {"maintenance", false}},
      false);
  const std::string table = node_table(Json::array({node}));
  if (table.find("| Reason") == std::string::npos) return "";
  const std::size_t end = table.rfind(" |\n");
  const std::size_t begin = table.rfind("| ", end - 1) + 2;
  return std::string(trim(table.substr(begin, end - begin)));
}

TEST(NodeText, AReasonIsShownWhereThereIsOne) {
  EXPECT_EQ(reason({{"provision_state", "available"}, {"last_error", nullptr}}), "");
  EXPECT_EQ(reason({{"provision_state", "enroll"}, {"last_error", "BMC: refused\nmore"}}), "BMC: refused");
  EXPECT_EQ(reason({{"provision_state", "active"}, {"maintenance_reason", "a new fan"}}), "a new fan");
  EXPECT_EQ(reason({{"provision_state", "enroll"}, {"last_error", std::string(158, 'x') + "\xC3\xA4\xC3\xA4"}}),
            std::string(158, 'x') + "\xC3\xA4…");
}

TEST(NodeText, OfAMachineThatIsWaitedForTheLastSignOfLifeIsTheReason) {
  Json node = {{"provision_state", "wait call-back"}, {"driver_internal_info", {{"job", {{"stage", "await agent"}}}}}};
  EXPECT_EQ(reason(node), "await agent; nothing was heard of its machine yet");
  node["driver_internal_info"]["last_seen"] = {{"at", "2026-11-20T23:31:40.498302+00:00"}, {"how", "DHCP"}};
  EXPECT_EQ(reason(node), "await agent; last heard of at 23:31:40 UTC: DHCP");
  node["driver_internal_info"]["job"]["begun"] = "2026-11-20T23:31:41+00:00";
  EXPECT_EQ(reason(node), "await agent; nothing was heard of its machine yet") << "that was before this job";
  node["driver_internal_info"]["job"]["strangers"] = {"52:54:00:00:00:77"};
  EXPECT_EQ(reason(node),
            "await agent; nothing was heard of its machine yet, but of a card that is no node's: 52:54:00:00:00:77 "
            "(hearth why NODE)");
  node["provision_state"] = "active";
  EXPECT_EQ(reason(node), "") << "nobody waits for it";
}

TEST(NodeText, WhoWaitsForAPersonSaysSo) {
  const Json node = {{"provision_state", "inspect wait"},
                     {"driver_internal_info",
                      {{"job", {{"stage", "await data"}}}, {"operator_instruction", {{"text", "Switch it on."}}}}}};
  EXPECT_EQ(reason(node), "await data; a person is to switch it: hearth node todo");
}

TEST(NodeText, OfManyThoseWithOneReasonAreToldTogetherTillTheLatestEnd) {
  const auto waits = [](const char* name, const char* until, const char* heard) {
    Json node = {{"name", name},
                 {"provision_state", "inspect wait"},
                 {"driver_internal_info", {{"job", {{"stage", "await data"}, {"until", until}}}}}};
    if (*heard != '\0')
      node["driver_internal_info"]["last_seen"] = {{"at", "2026-11-20T04:00:00+00:00"}, {"how", heard}};
    return node;
  };
  const Json a = waits("a", "2026-11-20T04:12:30+00:00", "");
  EXPECT_EQ(node_lines(Json::array(
                {a, waits("b", "2026-11-20T04:11:00+00:00", "DHCP"), waits("c", "2026-11-20T04:12:50+00:00", "")})),
            "a, c (inspect wait, await data; nothing was heard of its machine yet; until 04:12:50 UTC); "
            "b (inspect wait, await data; last heard of at 04:00:00 UTC: DHCP; until 04:11:00 UTC)");
  EXPECT_EQ(node_line("a", a),
            "a, which is inspect wait (await data; nothing was heard of its machine yet; until 04:12:30 UTC)");
  Json many = Json::array();
  for (int i = 0; i < 11; ++i) many.push_back(a);
  EXPECT_NE(node_lines(many).find("a, a and 3 more (inspect wait"), std::string::npos) << node_lines(many);
  Json others = Json::array();
  for (const char* how : {"1", "2", "3", "4", "5", "6"}) others.push_back(waits("a", "", how));
  EXPECT_TRUE(node_lines(others).ends_with("; and 2 more")) << node_lines(others);
}

TEST(NodeText, valuesLookAsPythonPrintsThem) {
  EXPECT_EQ(shown_value(Json::parse(R"({"a": true, "b": null})")), "{'a': True, 'b': None}");
  EXPECT_EQ(shown_value("x"), "x");
  EXPECT_EQ(fields_table({{"b", 1}, {"a", "\xC3\xA4"}}),
            "+-------+-------+\n| Field | Value |\n+-------+-------+\n| a     | \xC3\xA4     |\n| b     | 1     "
            "|\n+-------+-------+\n");
}

TEST(NodeText, fieldsThatNoTableHasRoomForHaveALineEach) {
  const Json node = {{"name", "web1"}, {"properties", std::string(50, 'x')}, {"uuid", "u"}};
  EXPECT_EQ(fields_table(node, 40),
            "name: web1\nproperties:\n    " + std::string(36, 'x') + "\n    " + std::string(14, 'x') + "\nuuid: u\n");
  EXPECT_EQ(fields_table(node, 80), fields_table(node)) << "where there is room it is the table";
}

TEST(NodeText, eventsAreALineEach) {
  EXPECT_EQ(
      event_line({{"at", "2026-11-20T23:31:40.498302+00:00"}, {"name", "web1"}, {"kind", "state"}, {"text", "a -> b"}}),
      "2026-11-20 23:31:40 UTC web1 state: a -> b");
}

TEST(NodeText, WhatAnActiveMachineAsksInVainIsTheReasonForAsLongAsItIsFresh) {
  Json node = k_nodes[0];
  node["provision_state"] = "active";
  node["driver_internal_info"] = {{"last_seen",
                                   {{"at", "2026-11-25T12:00:00+00:00"},
                                    {"how", "it asks in vain: arp who-has 192.0.2.99 (nobody has 192.0.2.99)"}}}};
  const Stamp then = parse_stamp("2026-11-25T12:00:00+00:00");
  const auto table = [&](Stamp later) { return node_table(Json::array({node}), false, then + later); };
  EXPECT_NE(table(60'000'000).find("it asks in vain: arp who-has 192.0.2.99 (nobody has 192.0.2.99), at 12:00:00"),
            std::string::npos);
  EXPECT_EQ(table(600'000'000).find("in vain"), std::string::npos);
  node["driver_internal_info"] = {{"last_seen", {{"at", nullptr}, {"how", "it asks in vain: x"}}}};
  (void)table(0);
}

}  // namespace
}  // namespace hearth::bootstrap
