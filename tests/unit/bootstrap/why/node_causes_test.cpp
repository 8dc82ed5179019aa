#include "bootstrap/why/node_causes.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap::why {
namespace {

constexpr Stamp k_minute = 60'000'000;
const Stamp k_noon = parse_stamp("2026-11-24T12:00:00+00:00");

std::string at(Stamp after) { return stamp_json(k_noon + after).get<std::string>(); }

NodeFacts facts(Json node) {
  node.update({{"name", "web1"}, {"uuid", "u"}}, false);
  return {
      .node = std::move(node), .macs = {"52:54:00:00:00:01"}, .boot_log = Json::array(), .now = k_noon + 10 * k_minute};
}

Json event(Stamp after, const char* kind, const char* text, Json detail = Json::object()) {
  return {{"at", at(after)}, {"kind", kind}, {"text", text}, {"detail", std::move(detail)}};
}

const Json k_begins = event(0, "state", "available -> deploying", {{"from", "available"}, {"to", "deploying"}});

Json working(const char* stage, Json more = Json::object()) {
  more["job"] = {{"kind", "deploy"}, {"stage", stage}, {"since", at(0)}};
  return {{"provision_state", "deploying"}, {"power_state", "power on"}, {"driver_internal_info", std::move(more)}};
}

std::string first(const NodeFacts& facts) { return node_causes(facts).front().cause; }

TEST(NodeCauses, APowerFailureIsToldByWhatTheBmcSaid) {
  const NodeFacts lost =
      facts({{"provision_state", "active"},
             {"maintenance", true},
             {"fault", "power failure"},
             {"maintenance_reason", "During sync_power_state: BMC http://b: connecting: No route to host"}});
  const std::vector<Finding> found = node_causes(lost);
  EXPECT_EQ(found[0].cause, "There is no way from here to the BMC's address.");
  EXPECT_NE(found[0].next.find("hearth node maintenance unset web1"), std::string::npos);
}

TEST(NodeCauses, AnUnknownErrorIsTheCauseItself) {
  EXPECT_EQ(first(facts({{"provision_state", "deploy failed"}, {"last_error", "something odd"}})),
            "It is deploy failed: something odd");
  EXPECT_EQ(first(facts({{"provision_state", "available"}, {"last_error", "something odd"}})),
            "Its last action failed: something odd");
}

TEST(NodeCauses, WhatIsTriedAgainIsToldUntilSomethingGoesWell) {
  NodeFacts busy = facts(working("power off"));
  busy.events = {event(-k_minute, "retry", "power off: HTTP 401; trying again"), k_begins};
  EXPECT_EQ(first(busy), "Nothing is wrong: it is deploying, at \"power off\".");
  busy.events.push_back(event(k_minute, "retry", "power off: BMC b: HTTP 503; trying again"));
  EXPECT_EQ(first(busy), "The BMC is busy, or has no session left.");
  busy.events.push_back(event(2 * k_minute, "agent", "it has called back"));
  EXPECT_EQ(first(busy), "Nothing is wrong: it is deploying, at \"power off\".");
}

TEST(NodeCauses, ARamdiskThatFellSilentAtWork) {
  const auto heard = [](Stamp when) {
    NodeFacts busy = facts(working("write image", {{"last_seen", {{"at", at(when)}, {"how", "heartbeat"}}}}));
    busy.events = {k_begins};
    return first(busy);
  };
  EXPECT_EQ(heard(k_minute), "The ramdisk was at work and says nothing any more.");
  EXPECT_EQ(heard(9 * k_minute), "Nothing is wrong: it is deploying, at \"write image\".");
}

TEST(NodeCauses, ANodeMayWaitForItsTurn) {
  Json node = working("power on");
  node["power_state"] = "power off";
  EXPECT_NE(first(facts(node)).find("waits for its turn"), std::string::npos);
}

TEST(NodeCauses, AnActiveNodeWhoseMachineIsOff) {
  EXPECT_EQ(first(facts({{"provision_state", "active"}, {"power_state", "power off"}})),
            "It is active, and its machine is off.");
  EXPECT_NE(first(facts({{"provision_state", "active"}, {"power_state", "power on"}})).find("Nothing is wrong"),
            std::string::npos);
}

TEST(NodeCauses, AMachineThatIsWaitedForCountsFromTheBeginningOfTheWork) {
  NodeFacts waits = facts({{"provision_state", "wait call-back"}, {"power_state", "power on"}});
  waits.events = {k_begins, event(k_minute, "state", "deploying -> wait call-back",
                                  {{"from", "deploying"}, {"to", "wait call-back"}})};
  const double noon = static_cast<double>(k_noon) / 1e6;
  waits.boot_log = Json::array(
      {{{"time", noon + 30}, {"protocol", "dhcp"}, {"what", "DISCOVER"}, {"outcome", "web1: OFFER"}, {"good", true}}});
  EXPECT_NE(first(waits).find("does not take it"), std::string::npos) << first(waits);
  // It called back, and is waited for once more: the work is the same.
  waits.events.push_back(
      event(2 * k_minute, "state", "wait call-back -> deploying", {{"from", "wait call-back"}, {"to", "deploying"}}));
  EXPECT_NE(first(waits).find("does not take it"), std::string::npos) << first(waits);
  (*waits.boot_log)[0]["time"] = noon - 30;
  EXPECT_NE(first(waits).find("Nothing of its machine"), std::string::npos) << first(waits);
}

}  // namespace
}  // namespace hearth::bootstrap::why
