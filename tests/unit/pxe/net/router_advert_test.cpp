#include "pxe/net/router_advert.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"

namespace hearth::pxe {
namespace {

using namespace std::string_literals;

const Mac k_own{{0x52, 0x54, 0, 0, 0, 1}};
const Mac k_client{{0x52, 0x54, 0, 0, 0, 2}};

std::string solicitation(const std::string& source) {
  return "\x60\0\0\0\0\x08\x3a\xff"s + source + "\xff\x02"s + std::string(13, '\0') + "\x02"s + "\x85\0\0\0\0\0\0\0"s;
}

TEST(RouterAdvert, AnAskingMachineIsToldThatThereIsNoRouterNoPrefixAndNoDhcpv6) {
  const std::string source = "\xfe\x80\0\0\0\0\0\0\x50\x54\0\xff\xfe\0\0\x02"s;
  const auto answer = empty_advertisement(solicitation(source), k_client, k_own);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->to, k_client);
  EXPECT_EQ(to_hex(answer->packet),
            "6000000000103aff"
            "fe80000000000000505400fffe000001"
            "fe80000000000000505400fffe000002"
            "86009e074000000000000000"
            "00000000");  // the sum as another implementation works it out
}

TEST(RouterAdvert, AMachineWithoutAnAddressIsAnsweredThroughAllNodes) {
  const auto answer = empty_advertisement(solicitation(std::string(16, '\0')), k_client, k_own);
  ASSERT_TRUE(answer);
  EXPECT_EQ(to_text(answer->to), "33:33:00:00:00:01");
  EXPECT_EQ(to_hex(answer->packet.substr(24, 16)), "ff020000000000000000000000000001");
}

TEST(RouterAdvert, NothingElseIsAnswered) {
  const std::string good = solicitation(std::string(16, '\0'));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(empty_advertisement(good.substr(0, size), k_client, k_own));
  std::string changed = good;
  changed[7] = 64;  // it has come through a router
  EXPECT_FALSE(empty_advertisement(changed, k_client, k_own));
  changed = good;
  changed[40] = '\x87';  // neighbour solicitation
  EXPECT_FALSE(empty_advertisement(changed, k_client, k_own));
}

}  // namespace
}  // namespace hearth::pxe
