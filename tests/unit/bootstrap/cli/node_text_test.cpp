#include "bootstrap/cli/node_text.hpp"

#include <gtest/gtest.h>

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

TEST(NodeText, valuesLookAsPythonPrintsThem) {
  EXPECT_EQ(shown_value(Json::parse(R"({"a": true, "b": null})")), "{'a': True, 'b': None}");
  EXPECT_EQ(shown_value("x"), "x");
  EXPECT_EQ(fields_table({{"b", 1}, {"a", "\xC3\xA4"}}),
            "+-------+-------+\n| Field | Value |\n+-------+-------+\n| a     | \xC3\xA4     |\n| b     | 1     "
            "|\n+-------+-------+\n");
}

TEST(NodeText, eventsAreALineEach) {
  EXPECT_EQ(
      event_line({{"at", "2026-11-20T23:31:40.498302+00:00"}, {"name", "web1"}, {"kind", "state"}, {"text", "a -> b"}}),
      "2026-11-20 23:31:40 web1 state: a -> b");
}

}  // namespace
}  // namespace hearth::bootstrap
