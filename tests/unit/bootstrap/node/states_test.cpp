#include "bootstrap/node/states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "source_directory.hpp"

namespace hearth::bootstrap {
namespace {

State state(std::string_view text) { return parse_state(text).value(); }

TEST(States, everyNameReadsBackAndTheGuidesOldSpellingIsKnown) {
  for (int i = 0; i <= static_cast<int>(State::service_hold); ++i) {
    const auto one = static_cast<State>(i);
    EXPECT_EQ(parse_state(name(one)), one) << name(one);
  }
  EXPECT_EQ(parse_state("deploy wait-callback"), State::wait_call_back);
  EXPECT_FALSE(parse_state("nonsense"));
  EXPECT_EQ(parse_verb("active"), Verb::deploy);
  EXPECT_EQ(parse_verb("deleted"), Verb::undeploy);
  for (int i = 0; i <= static_cast<int>(Verb::unhold); ++i) {
    EXPECT_EQ(parse_verb(name(static_cast<Verb>(i))), static_cast<Verb>(i));
  }
}

/// What Ironic's later versions have beside those of the recorded one.
const std::set<std::string> k_later = {
    "active: service -> servicing",           "clean hold: abort -> clean failed",
    "clean hold: unhold -> clean wait",       "cleaning: hold -> clean hold",
    "deploy hold: abort -> deploy failed",    "deploy hold: unhold -> wait call-back",
    "deploying: hold -> deploy hold",         "inspect wait: resume -> inspecting",
    "service failed: abort -> active",        "service failed: delete -> deleting",
    "service failed: rescue -> rescuing",     "service failed: service -> servicing",
    "service hold: abort -> service failed",  "service hold: service -> servicing",
    "service hold: unhold -> service wait",   "service wait: abort -> service failed",
    "service wait: delete -> deleting",       "service wait: fail -> service failed",
    "service wait: resume -> servicing",      "servicing: done -> active",
    "servicing: fail -> service failed",      "servicing: wait -> service wait",
    "wait call-back: abort -> deploy failed", "wait call-back: hold -> deploy hold",
};

/// Recorded by tests/peers/bootstrap/states_peer.py, which also looks whether it is still true.
Json ironics_states() {
  const fs::path file = HEARTH_SOURCE_DIR "/tests/unit/bootstrap/node/ironic_states.json";
  return parse_json(read_file(file), file.string()).value_or_throw();
}

std::set<std::string> our_transitions() {
  std::set<std::string> rows;
  const auto add = [&](State from, std::string_view event, std::optional<State> to) {
    if (to) rows.insert(cat(name(from), ": ", event, " -> ", name(*to)));
  };
  for (int i = 0; i <= static_cast<int>(State::service_hold); ++i) {
    const auto from = static_cast<State>(i);
    for (int v = 0; v <= static_cast<int>(Verb::unhold); ++v) {
      const auto verb = static_cast<Verb>(v);
      add(from, verb == Verb::undeploy ? "delete" : name(verb), after(from, verb));
    }
    for (int h = 0; h <= static_cast<int>(Happening::clean); ++h) {
      const auto happening = static_cast<Happening>(h);
      add(from, name(happening), after(from, happening));
    }
  }
  return rows;
}

TEST(States, verbsAndHappeningsLeadWhereIronicsTableSaysAndNowhereElse) {
  std::set<std::string> expected = k_later;
  const Json recorded = ironics_states();
  for (const Json& row : recorded.at("transitions")) expected.insert(row.get<std::string>());
  EXPECT_GT(expected.size(), k_later.size() + 60);
  EXPECT_THAT(our_transitions(), testing::ContainerEq(expected));
}

TEST(States, targetsAndWhatIsStableAreIronics) {
  const Json recorded = ironics_states();
  for (const auto& [text, target] : recorded.at("targets").items()) {
    const std::optional<State> ours = target_of(state(text));
    EXPECT_EQ(ours ? name(*ours) : "", target.get<std::string>()) << text;
  }
  for (const Json& text : recorded.at("stable")) EXPECT_EQ(kind_of(state(text.get<std::string>())), StateKind::stable);
  for (const Json& text : recorded.at("update_allowed"))
    EXPECT_TRUE(may_change(state(text.get<std::string>()))) << text;
  for (const Json& text : recorded.at("delete_allowed"))
    EXPECT_TRUE(may_delete(state(text.get<std::string>()))) << text;
}

TEST(States, verbsOfAStateAreThoseThatLeadSomewhere) {
  for (int i = 0; i <= static_cast<int>(State::service_hold); ++i) {
    const auto from = static_cast<State>(i);
    std::set<Verb> leading;
    for (int v = 0; v <= static_cast<int>(Verb::unhold); ++v) {
      if (after(from, static_cast<Verb>(v))) leading.insert(static_cast<Verb>(v));
    }
    const std::vector<Verb> listed = verbs_of(from);
    EXPECT_EQ(std::set<Verb>(listed.begin(), listed.end()), leading) << name(from);
  }
}

TEST(States, everyWorkingAndWaitingStateCanFailAndHasATarget) {
  for (int i = 0; i <= static_cast<int>(State::service_hold); ++i) {
    const auto one = static_cast<State>(i);
    const StateKind kind = kind_of(one);
    const bool busy = kind == StateKind::working || kind == StateKind::waiting;
    EXPECT_EQ(after(one, Happening::fail).has_value(), busy) << name(one);
    EXPECT_EQ(target_of(one).has_value(), kind != StateKind::stable) << name(one);
    if (kind == StateKind::waiting) {
      EXPECT_EQ(kind_of(after(one, Happening::resume).value()), StateKind::working);
    }
  }
}

TEST(States, everyStateCanBeReachedAndLeft) {
  std::set<State> reached = {State::enroll};
  for (int round = 0; round < 40; ++round) {
    for (const State from : std::set<State>(reached)) {
      for (const Verb verb : verbs_of(from)) reached.insert(after(from, verb).value());
      for (int h = 0; h <= static_cast<int>(Happening::clean); ++h) {
        if (const auto to = after(from, static_cast<Happening>(h))) reached.insert(*to);
      }
    }
  }
  for (int i = 0; i <= static_cast<int>(State::service_hold); ++i) {
    const auto one = static_cast<State>(i);
    if (one == State::service_hold) continue;  // held only by a request that servicing itself makes
    EXPECT_TRUE(reached.contains(one)) << name(one);
  }
}

TEST(States, changesAndDeletionAreRefusedWhileSomethingGoesOn) {
  EXPECT_TRUE(may_change(State::available));
  EXPECT_TRUE(may_change(State::deploy_failed));
  EXPECT_TRUE(may_change(State::inspect_wait));
  EXPECT_FALSE(may_change(State::deploying));
  EXPECT_FALSE(may_change(State::wait_call_back));
  EXPECT_TRUE(may_delete(State::enroll));
  EXPECT_FALSE(may_delete(State::active));
  EXPECT_TRUE(expects_agent(State::wait_call_back));
  EXPECT_FALSE(expects_agent(State::active));
  EXPECT_EQ(refusal("deploy", "U", State::enroll),
            "The requested action \"deploy\" can not be performed on node \"U\" while it is in state \"enroll\".");
}

}  // namespace
}  // namespace hearth::bootstrap
