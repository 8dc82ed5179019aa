#include "pxe/tftp/netascii.hpp"

#include <gtest/gtest.h>

namespace hearth::pxe::tftp {
namespace {

using namespace std::string_view_literals;

TEST(Netascii, LineEndsAndCarriageReturnsAreSpelledOut) {
  EXPECT_EQ(to_netascii("a\nb\n"), "a\r\nb\r\n");
  EXPECT_EQ(to_netascii("a\rb"), "a\r\0b"sv);
  EXPECT_EQ(to_netascii("a\r\n"), "a\r\0\r\n"sv);
  EXPECT_EQ(to_netascii(""), "");
}

}  // namespace
}  // namespace hearth::pxe::tftp
