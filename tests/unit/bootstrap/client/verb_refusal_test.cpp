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

TEST(VerbRefusal, otherTextsAreNoneOfIts) {
  EXPECT_FALSE(verb_refusal("Node web1 could not be found. (HTTP 404)", "web1"));
  EXPECT_FALSE(verb_refusal("Can not delete node \"u\" while it is in provision state \"active\"", "web1"));
}

}  // namespace
}  // namespace hearth::bootstrap
