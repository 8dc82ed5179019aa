#include "agent/deploy/hardware/lldp.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::deploy {
namespace {

TEST(Lldp, TlvsAreShownInHexadecimalUpToTheEnd) {
  const std::string chassis("\x02\x07\x04\x52\x54\x00\x12\x34\x56", 9);
  const std::string port("\x04\x03\x07\x65\x31", 5);
  const Json expected = {{1, "04525400123456"}, {2, "076531"}};
  EXPECT_EQ(parse_lldp(chassis + port + std::string("\0\0\x04\x01\x41", 5)), expected);
  EXPECT_EQ(parse_lldp(chassis + port + "\x04\x09\x41"), expected) << "a TLV that is cut off is left out";
  EXPECT_EQ(parse_lldp(""), Json::array());
}

}  // namespace
}  // namespace hearth::agent::deploy
