#include "pxe/boot/node.hpp"

#include <gtest/gtest.h>

namespace hearth::pxe {
namespace {

TEST(BootState, IronicsWordsAreUnderstood) {
  EXPECT_EQ(parse_state("wait call-back"), BootState::deploy);
  EXPECT_EQ(parse_state("active"), BootState::local);
  EXPECT_EQ(parse_state("inspect wait"), BootState::inspect);
  EXPECT_EQ(parse_state("rescue wait"), BootState::rescue);
  EXPECT_EQ(parse_state("dancing"), std::nullopt);
  for (const BootState state :
       {BootState::local, BootState::deploy, BootState::inspect, BootState::rescue, BootState::hold})
    EXPECT_EQ(parse_state(state_name(state)), state);
}

}  // namespace
}  // namespace hearth::pxe
