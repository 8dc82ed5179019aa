#include "pxe/dhcp/leases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe::dhcp {
namespace {

using testing::ElementsAre;

Ipv4 nth_ip(std::uint32_t last) { return {0xc0000200 + last}; }
LeaseTable::Reserved reserved(std::set<Ipv4> addresses) {
  return [addresses = std::move(addresses)](Ipv4 address) { return addresses.count(address) > 0; };
}
const std::vector<AddressRange> k_pool{{nth_ip(10), nth_ip(12)}};

TEST(Leases, AnAddressBelongsToItsMachineUntilItExpires) {
  LeaseTable table;
  table.put({nth_ip(10), mac(1), Lease::State::bound, 100, "web"});
  EXPECT_EQ(table.of(mac(1))->address, nth_ip(10));
  EXPECT_TRUE(table.is_free_for(nth_ip(10), mac(1), 50));
  EXPECT_FALSE(table.is_free_for(nth_ip(10), mac(2), 50));
  EXPECT_TRUE(table.is_free_for(nth_ip(10), mac(2), 100));
  EXPECT_TRUE(table.is_free_for(nth_ip(11), mac(2), 50));
}

TEST(Leases, ADeclinedAddressRestsForEveryone) {
  LeaseTable table;
  table.put({nth_ip(10), mac(1), Lease::State::declined, 100, ""});
  EXPECT_FALSE(table.is_free_for(nth_ip(10), mac(1), 50));
  EXPECT_EQ(table.of(mac(1)), nullptr);
}

TEST(Leases, NewAddressesGoFirstThenTheOneThatHasBeenFreeForLongest) {
  LeaseTable table;
  for (std::uint8_t last = 1; last <= 3; ++last) {
    const std::optional<Ipv4> address = table.find_free(k_pool, reserved({}), 0);
    ASSERT_EQ(address, nth_ip(9U + last));
    table.put({*address, mac(last), Lease::State::bound, 100 - last, ""});
  }
  EXPECT_EQ(table.find_free(k_pool, reserved({}), 50), std::nullopt);
  EXPECT_EQ(table.find_free(k_pool, reserved({}), 99), nth_ip(12)) << "its lease ended at 97";
}

TEST(Leases, ReservedAddressesAreNeverFound) {
  LeaseTable table;
  EXPECT_EQ(table.find_free(k_pool, reserved({nth_ip(10), nth_ip(11)}), 0), nth_ip(12));
  EXPECT_EQ(table.find_free(k_pool, reserved({nth_ip(10), nth_ip(11), nth_ip(12)}), 0), std::nullopt);
}

TEST(Leases, AnAddressThatChangesHandsIsForgottenByItsFormerMachine) {
  LeaseTable table;
  table.put({nth_ip(10), mac(1), Lease::State::bound, 10, ""});
  table.put({nth_ip(10), mac(2), Lease::State::bound, 100, ""});
  EXPECT_EQ(table.of(mac(1)), nullptr);
  EXPECT_EQ(table.of(mac(2))->address, nth_ip(10));
  EXPECT_EQ(table.size(), 1U);
}

TEST(Leases, TheNextAddressesAreKnownAhead) {
  LeaseTable table;
  table.put({nth_ip(10), mac(1), Lease::State::bound, 10, ""});
  EXPECT_THAT(table.next_free(k_pool, reserved({nth_ip(11)}), 0, 5), ElementsAre(nth_ip(12)));
  EXPECT_THAT(table.next_free(k_pool, reserved({nth_ip(11)}), 10, 5), ElementsAre(nth_ip(12), nth_ip(10)))
      << "its lease has ended";
  EXPECT_THAT(table.next_free(k_pool, reserved({nth_ip(11)}), 10, 1), ElementsAre(nth_ip(12)));
}

/// Of a pool that is used up, beside so many addresses whose leases have ended elsewhere.
double time_of_seeking(std::uint32_t elsewhere) {
  LeaseTable table;
  for (std::uint32_t n = 0; n < elsewhere; ++n)
    table.put({Ipv4{0x0a000000 + n},
               Mac{{2, 0, 0, 1, static_cast<std::uint8_t>(n >> 8U), static_cast<std::uint8_t>(n)}}, Lease::State::bound,
               5, ""});
  for (std::uint8_t last = 10; last <= 12; ++last) table.put({nth_ip(last), mac(last), Lease::State::bound, 20, ""});
  double least = 1e9;
  for (int turn = 0; turn < 5; ++turn) {
    const Duration before = thread_time();
    for (int times = 0; times < 200; ++times) {
      EXPECT_FALSE(table.find_free(k_pool, reserved({}), 10));
      EXPECT_TRUE(table.next_free(k_pool, reserved({}), 10, 64).empty());
      EXPECT_EQ(table.held(k_pool, 10).size(), 3U);
    }
    least = std::min(least, seconds_in(thread_time() - before));
  }
  return least;
}

TEST(Leases, APoolIsNotSoughtInAllLeasesOfAHall) { EXPECT_LE(time_of_seeking(40'000), 2.3 * time_of_seeking(10'000)); }

TEST(Leases, OfSeveralPoolsTheAddressThatHasBeenFreeForLongestGoesFirst) {
  LeaseTable table;
  const std::vector<AddressRange> pools{{nth_ip(10), nth_ip(11)}, {nth_ip(20), nth_ip(21)}};
  for (const auto& [last, ended] : {std::pair{10U, 30}, {11U, 10}, {20U, 20}, {21U, 5}})
    table.put({nth_ip(last), mac(static_cast<std::uint8_t>(last)), Lease::State::bound, ended, ""});
  EXPECT_EQ(table.find_free(pools, reserved({}), 40), nth_ip(21));
  EXPECT_EQ(table.find_free(pools, reserved({nth_ip(21), nth_ip(11)}), 40), nth_ip(20));
  EXPECT_THAT(table.next_free(pools, reserved({}), 40, 3), ElementsAre(nth_ip(21), nth_ip(11), nth_ip(20)));
  table.put({nth_ip(21), mac(21), Lease::State::bound, 35, ""});
  EXPECT_EQ(table.find_free(pools, reserved({}), 40), nth_ip(11)) << "it was used again meanwhile";
  EXPECT_EQ(table.held(pools, 25).size(), 2U);
}

TEST(Leases, APoolAtTheEndOfAllAddressesEnds) {
  LeaseTable table;
  const std::vector<AddressRange> last{{Ipv4{0xfffffffe}, Ipv4{0xfffffffe}}};
  EXPECT_TRUE(table.find_free(last, reserved({}), 0));
  EXPECT_FALSE(table.find_free(last, reserved({Ipv4{0xfffffffe}}), 0));
}

}  // namespace
}  // namespace hearth::pxe::dhcp
