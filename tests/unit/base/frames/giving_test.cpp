#include "base/frames/giving.hpp"

#include <gtest/gtest.h>

namespace hearth::frames {
namespace {

// Two programs of different releases must make the same of it: that is why it is written out here.
TEST(GivingToken, IsTheKeyedDigestOfTheImagesRoot) {
  // printf 'hearth gives 00ff' | openssl dgst -sha256 -hmac secret
  EXPECT_EQ(giving_token("secret", "00ff"), "2b4dc30e61d951f14ce1083916273108a4d513b3fd499e04f8779cd2f093e8cf");
}

TEST(GivingToken, OpensOneImageOfOneMachine) {
  EXPECT_NE(giving_token("secret", "00"), giving_token("secret", "01"));
  EXPECT_NE(giving_token("secret", "00"), giving_token("secre", "00"));
}

}  // namespace
}  // namespace hearth::frames
