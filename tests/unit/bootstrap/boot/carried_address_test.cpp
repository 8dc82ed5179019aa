// What needs no rights of it; an address that goes is tests/peers/bootstrap/second_seed.py's.
#include "bootstrap/boot/carried_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::bootstrap {
namespace {

std::string why_not(const std::string& address, const std::string& card) {
  try {
    static_cast<void>(parse_card_address(address, card));
  } catch (const Error& error) {
    return error.story();
  }
  return "";
}

TEST(CarriedAddress, IsAnAddressOfIpv4WithItsPrefixOnACard) {
  const CardAddress address = parse_card_address("192.0.2.10/24", "eth1");
  EXPECT_EQ(pxe::to_text(address.address), "192.0.2.10");
  EXPECT_EQ(address.prefix, 24);
  EXPECT_EQ(address.card, "eth1");
  for (const char* wrong : {"192.0.2.10", "192.0.2.10/33", "192.0.2.10/0", "192.0.2/24", "2001:db8::1/64", ""})
    EXPECT_THAT(why_not(wrong, "eth1"), testing::HasSubstr("192.0.2.10/24")) << wrong;
  EXPECT_THAT(why_not("192.0.2.10/24", ""), testing::HasSubstr("--interface CARD"));
}

TEST(CarriedAddress, ACardThatIsNotThereIsNamed) {
  try {
    const CarriedAddress carried(parse_card_address("192.0.2.10/24", "no-such-card"));
    ADD_FAILURE() << "it was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), testing::HasSubstr("no-such-card"));
  }
}

}  // namespace
}  // namespace hearth::bootstrap
