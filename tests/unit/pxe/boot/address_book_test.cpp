#include "pxe/boot/address_book.hpp"

#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

TEST(AddressBook, AnAddressBelongsToTheLastMachineThatGotIt) {
  AddressBook book;
  EXPECT_EQ(book.find(dhcp::ip("192.0.2.7")), std::nullopt);
  book.put(dhcp::ip("192.0.2.7"), dhcp::mac(1));
  book.put(dhcp::ip("192.0.2.7"), dhcp::mac(2));
  EXPECT_EQ(book.find(dhcp::ip("192.0.2.7")), dhcp::mac(2));
}

}  // namespace
}  // namespace hearth::pxe
