#include "bootstrap/why/causes/node_causes.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

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

TEST(NodeCauses, OneCauseOfTwoErrorsIsToldOnceWithTheEvidenceOfBoth) {
  const std::vector<Finding> found =
      node_causes(facts({{"provision_state", "enroll"},
                         {"maintenance", true},
                         {"maintenance_reason", "During sync_power_state: BMC http://b: connecting: No route to host"},
                         {"last_error", "Failed to verify: BMC http://b: connecting: No route to host"}}));
  ASSERT_EQ(found.size(), 1U) << findings_text(found);
  EXPECT_EQ(found[0].cause, "There is no way from here to the BMC's address.");
  EXPECT_NE(join(found[0].evidence, "\n").find("in maintenance: During sync_power_state"), std::string::npos);
  EXPECT_NE(join(found[0].evidence, "\n").find("Failed to verify"), std::string::npos);
}

TEST(NodeCauses, OfANodeThatStandsWhereItFailedItIsToldWhenAndThatNobodyTriedSince) {
  NodeFacts stands = facts({{"provision_state", "enroll"}, {"last_error", "Failed: HTTP 401"}});
  stands.events = {event(-k_minute, "failure", "Failed: HTTP 401"), event(0, "failure", "Failed: HTTP 401"),
                   event(k_minute, "inventory", "updated from x")};
  const std::string seen = "seen at 2026-11-24T12:00:00 UTC; nobody has tried it since";
  EXPECT_EQ(node_causes(stands).front().evidence.back(), seen);
  stands.node["provision_state"] = "deploy failed";
  EXPECT_EQ(node_causes(stands).front().evidence.back(), seen);
  stands.node["provision_state"] = "active";  // a fault of its power, which is looked at all the time
  EXPECT_NE(node_causes(stands).front().evidence.back(), seen);
  stands.node["provision_state"] = "enroll";
  stands.events = Json::array();
  EXPECT_NE(node_causes(stands).front().evidence.back(), seen);
}

TEST(NodeCauses, TheAdviceOfTheBootModeDoesNotGoInACircle) {
  NodeFacts node = facts({{"provision_state", "wait call-back"},
                          {"boot_mode", "uefi"},
                          {"properties", {{"capabilities", "boot_mode:bios"}}}});
  node.events = {k_begins};
  EXPECT_NE(node_causes(node).front().next.find("--capability boot_mode:uefi"), std::string::npos);
  const char* bios =
      "Agent returned error: this machine was not started by UEFI, or its firmware's variables are not there";
  node.events = {event(-k_minute, "failure", bios), k_begins};
  EXPECT_NE(node_causes(facts({{"provision_state", "deploy failed"}, {"last_error", bios}}))
                .front()
                .next.find("--capability boot_mode:bios"),
            std::string::npos)
      << "which was advised then";
  EXPECT_EQ(node_causes(node).front().next.find("boot_mode:uefi"), std::string::npos) << "and is not taken back";
  EXPECT_NE(join(node_causes(node).front().evidence, "\n").find("started by BIOS all the same"), std::string::npos);
  node.events = {event(-k_minute, "failure", "Agent returned error: /dev/sda has no EFI system partition"), k_begins};
  const std::string next = node_causes(node).front().next;
  EXPECT_TRUE(next.starts_with("switch the machine to BIOS in its firmware; where it has no BIOS, build the image"))
      << next;
}

TEST(NodeCauses, ABmcOfIpmiWithoutALogInIsToldWithWhatFailed) {
  const NodeFacts node = facts({{"provision_state", "enroll"},
                                {"driver", "ipmi"},
                                {"driver_info", {{"ipmi_address", "192.0.2.5"}}},
                                {"last_error", "Failed: it is odd"}});
  EXPECT_TRUE(node_causes(node).front().next.starts_with("hearth node set web1 --driver-info ipmi_username=…"));
}

TEST(NodeCauses, AConductorThatCanKeepNothingStandsFirstForAllThatWaitsForIt) {
  const Finding full{"It can't keep what is changed.", {"database or disk is full"}, "make room"};
  NodeFacts node = facts(working("write image"));
  node.unkept = full;
  EXPECT_EQ(first(node), full.cause);
  EXPECT_GT(node_causes(node).size(), 1U) << "and what it does otherwise";
  node = facts({{"provision_state", "wait call-back"}});
  node.unkept = full;
  EXPECT_EQ(first(node), full.cause);
  node = facts({{"provision_state", "available"}});
  node.unkept = full;
  ASSERT_EQ(node_causes(node).size(), 1U) << "never that nothing is wrong";
  EXPECT_EQ(first(node), full.cause);
  node = facts({{"provision_state", "enroll"}, {"last_error", "Failed: HTTP 401"}});
  node.unkept = full;
  EXPECT_NE(first(node), full.cause) << "that is not why its BMC refused the password";
  EXPECT_EQ(node_causes(node).back().cause, full.cause);
}

TEST(NodeCauses, WhoeverFailedWasSetAsideOrWaitsIsInTrouble) {
  for (const char* state :
       {"wait call-back", "deploy hold", "clean wait", "inspect wait", "deploy failed", "error", "rescue failed"})
    EXPECT_TRUE(is_troubled({{"provision_state", state}})) << state;
  for (const char* state : {"active", "available", "enroll", "deploying", "manageable"}) {
    EXPECT_FALSE(
        is_troubled({{"provision_state", state}, {"last_error", nullptr}, {"driver_internal_info", Json::object()}}))
        << state;
    EXPECT_TRUE(is_troubled({{"provision_state", state}, {"maintenance", true}}));
    EXPECT_TRUE(is_troubled({{"provision_state", state}, {"last_error", "it broke"}}));
    EXPECT_TRUE(is_troubled(
        {{"provision_state", state}, {"driver_internal_info", {{"operator_instruction", {{"action", "power on"}}}}}}));
  }
}

TEST(NodeCauses, WhatIsUnderWayIsToldInUnitsAndABmcThatIsWaitedForByItsSeconds) {
  NodeFacts busy = facts(working("write image"));
  busy.node["driver_internal_info"]["progress"] = {
      {"fetched", 89128960}, {"to_fetch", 129383837}, {"written", 801112064}};
  EXPECT_THAT(node_causes(busy).front().evidence,
              testing::Contains("progress: 85.0 MiB of 123.4 MiB fetched, 764.0 MiB written"));
  NodeFacts asked =
      facts({{"provision_state", "verifying"},
             {"driver_internal_info", {{"job", {{"kind", "verify"}, {"stage", "verify"}, {"since", at(0)}}}}}});
  asked.now = parse_stamp(at(0)) + 15'000'000;
  EXPECT_EQ(first(asked), "Its BMC was asked 15 s ago and has not answered.");
  asked.now = parse_stamp(at(0)) + 2'000'000;
  EXPECT_TRUE(first(asked).starts_with("Nothing is wrong: it is verifying")) << first(asked);
}

TEST(NodeCauses, TheLastOrderThatWasRefusedIsTold) {
  NodeFacts node = facts({{"provision_state", "available"}});
  const Json refused = event(k_minute, "refused", "deploy was refused: no image", {{"verb", "deploy"}});
  node.events = {event(0, "state", "cleaning -> available"), refused};
  const Finding found = node_causes(node).front();
  EXPECT_EQ(found.cause, "Its last order was refused, and it stayed available: deploy was refused: no image.");
  EXPECT_EQ(found.evidence.front(), "asked at 2026-11-24T12:01:00 UTC; nobody has begun anything since");
  EXPECT_EQ(found.next, "when what is named there is mended: hearth node deploy web1 --image IMAGE");
  node.node["instance_info"] = {{"image_source", "http://192.0.2.1/i"}};
  node.node["updated_at"] = at(2 * k_minute);
  EXPECT_EQ(node_causes(node).front().next, "when what is named there is mended: hearth node deploy web1");
  EXPECT_TRUE(node_causes(node).front().evidence.front().ends_with("though the node was changed: it may be mended"));
  node.events.back()["detail"]["verb"] = "active";  // as Ironic's clients have it
  EXPECT_EQ(node_causes(node).front().next, "when what is named there is mended: hearth node deploy web1");
  node.events.push_back(event(2 * k_minute, "state", "available -> deploying"));
  EXPECT_EQ(first(node).find("refused"), std::string::npos) << "it was taken since";
}

TEST(NodeCauses, AMachineThatWasInUseIsLedBackToItsOwnSystem) {
  const auto next = [](const char* state, const char* error) {
    return node_causes(facts({{"provision_state", state}, {"last_error", error}})).front().next;
  };
  const std::string aborted = "; or back to active, into its own system: hearth node abort web1";
  EXPECT_EQ(next("service failed", "The service was aborted by request."),
            "the same verb again, when it is wanted" + aborted);
  EXPECT_TRUE(next("service failed", "it broke").ends_with(aborted));
  EXPECT_TRUE(next("service failed", "Timeout reached while waiting for callback").ends_with(aborted));
  EXPECT_TRUE(next("rescue failed", "it broke").ends_with("into its own system: hearth node unrescue web1"));
  EXPECT_EQ(next("deploy failed", "it broke"), "hearth node events web1 has what happened before");
}

TEST(NodeCauses, AMachineThatAsksMeanwhileAndIsNoNodesMayBeTheOne) {
  NodeFacts waits = facts({{"provision_state", "wait call-back"}});
  waits.events = {k_begins};
  EXPECT_EQ(first(waits), "Nothing of its machine has reached the network boot.");
  waits.strangers = {{{"mac", "52:54:00:00:00:02"}, {"how", "dhcp DISCOVER"}, {"last_seen", at(k_minute)}}};
  const Finding found = node_causes(waits).front();
  EXPECT_EQ(found.cause,
            "Nothing of its machine has reached the network boot, but a machine asks that is no node's: it may be this "
            "one, with another card than the node has.");
  EXPECT_EQ(found.evidence.back(), "no node's: 52:54:00:00:00:02 (dhcp DISCOVER)");
  EXPECT_NE(found.next.find("hearth node list --waiting"), std::string::npos);
  EXPECT_EQ(first(node_facts_of(facts_json(waits))), found.cause) << "an incident keeps it";
  waits.strangers[0]["last_seen"] = at(-k_minute);
  EXPECT_EQ(first(waits), "Nothing of its machine has reached the network boot.") << "it asked before";
}

TEST(NodeCauses, AWrongCardIsCorrectedWhereThatIsTakenAndThenWhatFailedIsBegunAnew) {
  const auto next = [](const char* state, const char* error) {
    NodeFacts facts_now = facts({{"provision_state", state}, {"last_error", error}});
    facts_now.events = {k_begins};
    facts_now.strangers = {{{"mac", "52:54:00:00:00:02"}, {"how", "dhcp DISCOVER"}, {"last_seen", at(k_minute)}}};
    return node_causes(facts_now).front().next;
  };
  const char* const error =
      "Timeout reached while waiting for callback for node u: nothing was heard of its machine; meanwhile there asked, "
      "and is no node's: 52:54:00:00:00:02 (dhcp DISCOVER)";
  const std::string corrected = "correct the inventory and import it again (hearth node import), ";
  EXPECT_EQ(next("inspect failed", error), cat("compare the label; then ", corrected, "then hearth node inspect web1"));
  EXPECT_EQ(next("deploy failed", error), cat("compare the label; then ", corrected, "then hearth node deploy web1"));
  EXPECT_NE(next("inspect wait", "").find(cat("then ", corrected, "it goes on by itself then. Else ")),
            std::string::npos);
  EXPECT_NE(next("wait call-back", "")
                .find(cat("then hearth node abort web1, ", corrected, "then hearth node deploy web1. Else ")),
            std::string::npos)
      << "no import changes it until then";
}

TEST(NodeCauses, WhatItWasStuckOnIsToldWhenAPersonHasEndedIt) {
  NodeFacts ended = facts({{"provision_state", "deploy failed"}, {"last_error", "The deploy was aborted by request."}});
  ended.events = {k_begins};
  EXPECT_EQ(first(ended), "A person ended it.");
  ended.strangers = {{{"mac", "52:54:00:00:00:02"}, {"how", "dhcp DISCOVER"}, {"last_seen", at(k_minute)}}};
  const Finding found = node_causes(ended).front();
  EXPECT_TRUE(found.cause.starts_with("A person ended it. Until then: Nothing of its machine has reached"))
      << found.cause;
  EXPECT_EQ(found.evidence.back(), "no node's: 52:54:00:00:00:02 (dhcp DISCOVER)");
  EXPECT_NE(found.next.find("correct the inventory"), std::string::npos) << found.next;
}

TEST(NodeCauses, OfAMachineThatWasJustStartedNothingNeedBeWrong) {
  NodeFacts waits = facts({{"provision_state", "wait call-back"}});
  waits.events = {k_begins};
  waits.now = k_noon + 3'000'000;
  const Finding found = node_causes(waits).front();
  EXPECT_EQ(found.cause, "Nothing of its machine has reached the network boot yet: its boot began 3 s ago.");
  EXPECT_EQ(found.next.rfind("wait: servers take minutes", 0), 0U);
}

TEST(NodeCauses, WithoutAConductorNothingMoves) {
  NodeFacts left = facts(working("write image"));
  left.is_served = false;
  EXPECT_EQ(first(left), "No conductor runs: it stays deploying until one goes on with it.");
  EXPECT_EQ(first(node_facts_of(facts_json(left))), first(left)) << "an incident keeps it";
  left.node["provision_state"] = "active";
  EXPECT_EQ(first(left).find("No conductor"), std::string::npos) << "nobody waits for one";
}

TEST(NodeCauses, AnUnknownErrorIsTheCauseItself) {
  EXPECT_EQ(first(facts({{"provision_state", "deploy failed"}, {"last_error", "something odd"}})),
            "It is deploy failed: something odd");
  EXPECT_EQ(first(facts({{"provision_state", "available"}, {"last_error", "something odd"}})),
            "Its last action failed: something odd");
}

TEST(NodeCauses, WhyItIsInItsStateStandsBeforeWhatWasTriedSince) {
  NodeFacts failed = facts({{"provision_state", "deploy failed"}, {"last_error", "BMC b: HTTP 503"}});
  failed.events = {event(0, "state", "deploying -> deploy failed",
                         {{"from", "deploying"},
                          {"to", "deploy failed"},
                          {"error", "the image i is not signed, but this site asks for it"}})};
  EXPECT_NE(first(failed).find("not signed"), std::string::npos) << first(failed);
  EXPECT_EQ(node_causes(failed).size(), 2U);
  failed.node["last_error"] = nullptr;
  EXPECT_NE(first(failed).find("not signed"), std::string::npos) << first(failed);
  failed.events = Json::array();
  EXPECT_EQ(first(failed), "It is deploy failed, and its conductor does not say why.");
}

TEST(NodeCauses, StatesOfOthersAndFieldsThatAreNull) {
  EXPECT_EQ(first(facts({{"provision_state", "unholding"}})), "Its state, unholding, is none that this program knows.");
  EXPECT_EQ(first(facts({{"provision_state", "active"},
                         {"power_state", nullptr},
                         {"maintenance", nullptr},
                         {"last_error", nullptr},
                         {"driver_internal_info", nullptr}})),
            "Nothing is wrong that its conductor knows: it is active.");
  EXPECT_NE(first(facts({{"provision_state", "clean hold"}})).find("holds it until a person"), std::string::npos);
}

TEST(NodeCauses, APowerOrderThatIsHeldIsToldWhileItIs) {
  Json node = {{"provision_state", "active"},
               {"power_state", "power off"},
               {"target_power_state", "power on"},
               {"driver_internal_info", {{"power_waits_until", k_noon + 11 * k_minute}}}};
  EXPECT_NE(first(facts(node)).find("of a conductor that was killed"), std::string::npos);
  node["driver_internal_info"]["power_waits_until"] = k_noon;
  EXPECT_EQ(first(facts(node)).find("of a conductor that was killed"), std::string::npos);
}

TEST(NodeCauses, WhatIsDoneNextIsAVerbThatTheStateTakes) {
  const auto next = [](const char* state, const char* error) {
    return node_causes(facts({{"provision_state", state}, {"last_error", error}, {"driver", "redfish"}})).front().next;
  };
  EXPECT_TRUE(next("enroll", "HTTP 401").ends_with("then hearth node manage web1"));
  EXPECT_TRUE(next("deploy failed", "HTTP 401").ends_with("then hearth node deploy web1"));
  EXPECT_TRUE(next("active", "HTTP 401").ends_with("then the same command again"));
  EXPECT_TRUE(next("clean failed", "Input/output error")
                  .ends_with("then hearth node manage web1 and hearth node provide web1"));
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

TEST(NodeCauses, HowOftenItIsTriedAgainIsToldWithIt) {
  NodeFacts busy = facts(working("power off"));
  busy.events = {k_begins, event(k_minute, "retry", "power off: BMC b: HTTP 503; trying again (2 of 4)")};
  EXPECT_EQ(node_causes(busy).front().evidence.back(),
            "it is tried again by itself (2 of 4): after the last it stays failed, until a person begins it anew");
}

TEST(NodeCauses, AMachineThatIsToldToBootAsItsBmcDoesNot) {
  NodeFacts silent = facts({{"provision_state", "wait call-back"},
                            {"power_state", "power on"},
                            {"boot_mode", "uefi"},
                            {"properties", {{"capabilities", "boot_mode:bios,boot_option:local"}}}});
  silent.events = {k_begins};
  const Finding found = node_causes(silent).front();
  EXPECT_EQ(found.evidence.back(),
            "its BMC said that it boots by uefi; by its capabilities it is told to boot by bios");
  EXPECT_NE(found.next.find("hearth node set web1 --capability boot_mode:uefi"), std::string::npos) << found.next;
  silent.node["properties"]["capabilities"] = "boot_mode:uefi";
  EXPECT_EQ(node_causes(silent).front().next.find("--capability"), std::string::npos);
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

TEST(NodeCauses, AnotherConductorIsAskedByItsOwnClient) {
  NodeFacts failed = facts({{"provision_state", "deploy failed"}, {"last_error", "something odd"}});
  EXPECT_EQ(node_causes(failed)[0].next, "hearth node events web1 has what happened before");
  failed.is_ours = false;
  EXPECT_EQ(node_causes(failed)[0].next, "openstack baremetal node history list web1 has what happened before");
}

TEST(NodeCauses, WhatAStepHoldsIsLetGoByOurOwnVerb) {
  EXPECT_EQ(node_causes(facts({{"provision_state", "deploy hold"}}))[0].next, "hearth node unhold web1");
}

}  // namespace
}  // namespace hearth::bootstrap::why
