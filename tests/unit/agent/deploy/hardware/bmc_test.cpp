#include "agent/deploy/hardware/bmc.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::deploy {
namespace {

TEST(Bmc, TheAnswerHoldsTheAddress) {
  EXPECT_EQ(address_of_answer(std::string("\x00\x11\xc0\x00\x02\x07", 6)), "192.0.2.7");
  EXPECT_EQ(address_of_answer(std::string("\xcc\x11\xc0\x00\x02\x07", 6)), "") << "a completion code";
  EXPECT_EQ(address_of_answer(std::string("\x00\x11\x00\x00\x00\x00", 6)), "") << "not configured";
  EXPECT_EQ(address_of_answer(""), "");
}

}  // namespace
}  // namespace hearth::agent::deploy
