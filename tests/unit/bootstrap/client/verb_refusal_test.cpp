#include "bootstrap/client/verb_refusal.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "bootstrap/node/states.hpp"

namespace hearth::bootstrap {
namespace {

std::string hint_of(Verb verb, State state) {
  const std::optional<VerbRefusal> told =
      verb_refusal(cat(refusal(name(verb), "fa51a397-uuid", state), " (HTTP 400)"), "web1");
  return told ? told->hint : "nothing";
}

TEST(VerbRefusal, theNodeIsCalledAsThePersonCalledIt) {
  EXPECT_EQ(verb_refusal(cat(refusal("manage", "fa51a397-uuid", State::active), " (HTTP 400)"), "web1")->text,
            "The requested action \"manage\" can not be performed on node \"web1\" while it is in state \"active\". "
            "(HTTP 400)");
}

TEST(VerbRefusal, whoIsThereAlreadyIsToldSoWithWhatMayComeNext) {
  EXPECT_EQ(hint_of(Verb::manage, State::manageable),
            "web1 is manageable already; from here: hearth node provide|clean|inspect|adopt web1");
  EXPECT_EQ(hint_of(Verb::provide, State::available),
            "web1 is available already; from here: hearth node deploy|manage web1");
  EXPECT_EQ(hint_of(Verb::undeploy, State::available),
            "web1 is available already; from here: hearth node deploy|manage web1");
}

TEST(VerbRefusal, theShortestWayIsToldFromWhereverTheNodeIs) {
  EXPECT_EQ(hint_of(Verb::provide, State::enroll), "first hearth node manage web1; hearth why web1 says more");
  EXPECT_EQ(hint_of(Verb::deploy, State::manageable), "first hearth node provide web1; hearth why web1 says more");
  EXPECT_EQ(hint_of(Verb::inspect, State::deploy_failed),
            "first hearth node undeploy web1, then hearth node manage web1; hearth why web1 says more");
  EXPECT_EQ(hint_of(Verb::inspect, State::clean_wait),
            "first hearth node abort web1, then hearth node manage web1; hearth why web1 says more");
}

TEST(VerbRefusal, whereNoVerbHelpsItIsWaited) {
  EXPECT_EQ(hint_of(Verb::manage, State::deploying), "hearth why web1 says what it waits for");
}

TEST(VerbRefusal, nobodyIsLedOutOfAMachineThatIsInUse) {
  EXPECT_EQ(hint_of(Verb::manage, State::service_failed),
            "hearth node abort web1 leads back to active; from here: hearth node service|rescue web1; only undeploy "
            "leads there, which takes it out of use");
  EXPECT_EQ(hint_of(Verb::inspect, State::active),
            "from here: hearth node rebuild|rescue|service web1; only undeploy leads there, which takes it out of use");
  for (const State state : {State::rescue_failed, State::unrescue_failed, State::rescue_wait, State::service_wait,
                            State::service_hold, State::service_failed, State::rescue, State::active})
    EXPECT_EQ(hint_of(Verb::manage, state).find("node undeploy"), std::string::npos) << name(state);
}

TEST(VerbRefusal, whatThereIsNothingToDoForWaitsForNothing) {
  EXPECT_EQ(hint_of(Verb::abort, State::available), "from here: hearth node deploy|manage web1");
  EXPECT_EQ(hint_of(Verb::abort, State::active), "from here: hearth node rebuild|rescue|service web1");
}

TEST(VerbRefusal, aNodeThatIsAtWorkOrOutOfServiceIsToldWithWhatEndsThat) {
  const auto out = verb_refusal(
      "The deploy operation can't be performed on node fa51a397-uuid because it's in maintenance mode. (HTTP 400)",
      "web1");
  EXPECT_EQ(out->text,
            "The deploy operation can't be performed on node web1 because it's in maintenance mode. (HTTP 400)");
  EXPECT_NE(out->hint.find("hearth node maintenance unset web1"), std::string::npos);
  const auto busy =
      verb_refusal("Node web1 can not be updated while a state transition is in progress. (HTTP 409)", "web1");
  EXPECT_NE(busy->hint.find("hearth why web1"), std::string::npos);
}

TEST(VerbRefusal, whoIsNotCalledByANameHasTheOneThatIsTold) {
  const auto told = verb_refusal(refusal("inspect", "fa51a397-uuid", State::enroll), "");
  EXPECT_NE(told->text.find("on node \"fa51a397-uuid\""), std::string::npos);
  EXPECT_EQ(told->hint, "first hearth node manage fa51a397-uuid; hearth why fa51a397-uuid says more");
}

TEST(VerbRefusal, otherTextsAreNoneOfIts) {
  EXPECT_FALSE(verb_refusal("Node web1 could not be found. (HTTP 404)", "web1"));
  EXPECT_FALSE(verb_refusal("Can not delete node \"u\" while it is in provision state \"active\"", "web1"));
}

}  // namespace
}  // namespace hearth::bootstrap
