#include "bootstrap/node/states.hpp"

#include <gtest/gtest.h>

#include <set>

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

TEST(States, verbsLeadWhereIronicsTableSays) {
  const std::vector<std::array<const char*, 3>> rows = {{"enroll", "manage", "verifying"},
                                                        {"manageable", "provide", "cleaning"},
                                                        {"manageable", "inspect", "inspecting"},
                                                        {"manageable", "clean", "cleaning"},
                                                        {"manageable", "adopt", "adopting"},
                                                        {"available", "deploy", "deploying"},
                                                        {"available", "manage", "manageable"},
                                                        {"wait call-back", "undeploy", "deleting"},
                                                        {"wait call-back", "abort", "deploy failed"},
                                                        {"deploy failed", "deploy", "deploying"},
                                                        {"deploy hold", "unhold", "wait call-back"},
                                                        {"active", "rebuild", "deploying"},
                                                        {"active", "rescue", "rescuing"},
                                                        {"active", "undeploy", "deleting"},
                                                        {"active", "service", "servicing"},
                                                        {"error", "undeploy", "deleting"},
                                                        {"clean wait", "abort", "clean failed"},
                                                        {"clean failed", "manage", "manageable"},
                                                        {"inspect wait", "abort", "inspect failed"},
                                                        {"adopt failed", "adopt", "adopting"},
                                                        {"rescue", "unrescue", "unrescuing"},
                                                        {"service failed", "abort", "active"}};
  for (const auto& [from, verb, to] : rows) {
    EXPECT_EQ(after(state(from), *parse_verb(verb)), state(to)) << from << " -" << verb;
  }
  EXPECT_FALSE(after(State::enroll, Verb::deploy));
  EXPECT_FALSE(after(State::active, Verb::deploy));
  EXPECT_FALSE(after(State::deploying, Verb::abort));
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
