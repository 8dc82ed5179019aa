#include "bootstrap/boot/home_leases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "tests/fakes/failing_connection.hpp"

namespace hearth::bootstrap {
namespace {

using pxe::dhcp::Lease;

Lease lease_of(std::uint32_t number, const char* mac, std::int64_t expires) {
  return {pxe::Ipv4{0xc0000264 + number}, pxe::parse_mac(mac).value(), Lease::State::bound, expires, "web 1"};
}
const Lease k_first = lease_of(0, "52:54:00:00:00:01", 1700000000);
const Lease k_second = lease_of(1, "52:54:00:00:00:02", 1700000001);
const Lease k_first_later = lease_of(0, "52:54:00:00:00:03", 1700009999);

class HomeLeasesTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Home> opened(const Claim& claim = {}) {
    auto real = sql::detail::open_sqlite((directory_.path() / "home.db").string());
    return std::make_unique<Home>(
        sql::Database(std::make_unique<fakes::FailingConnection>(std::move(real), faults_), false), "the home",
        HomeState::any, claim);
  }
  void keep(HomeLeases& leases, const Lease& lease) {
    leases.keep(
        lease, [this, lease] { told_.push_back(pxe::to_text(lease.address)); },
        [this](const std::string& why) { told_.push_back(why); });
  }
  [[nodiscard]] std::vector<Lease> kept() {
    const std::unique_ptr<Home> home = opened();
    return HomeLeases(*home).leases();
  }

  TempDir directory_ = TempDir::create("/tmp", "hearth-home-leases-");
  fakes::StoreFaults faults_;
  std::vector<std::string> told_;
};

TEST_F(HomeLeasesTest, NobodyIsAnsweredBeforeHisLeaseIsKeptAndAllAreInTurn) {
  const std::unique_ptr<Home> home = opened();
  HomeLeases leases(*home);
  EXPECT_THAT(leases.leases(), testing::IsEmpty());
  keep(leases, k_first);
  keep(leases, k_second);
  leases.look();
  EXPECT_THAT(told_, testing::IsEmpty()) << "nothing is written yet";
  home->start();
  ASSERT_TRUE(home->wait(std::chrono::seconds(10)));
  EXPECT_THAT(told_, testing::IsEmpty()) << "who looks tells";
  leases.look();
  leases.look();
  EXPECT_THAT(told_, testing::ElementsAre("192.0.2.100", "192.0.2.101"));
}

TEST_F(HomeLeasesTest, WhatIsKeptIsToldToNobodyWhereAnotherSeedMayServeByNow) {
  const std::unique_ptr<Home> home = opened({.gives_way = true});
  HomeLeases leases(*home);
  home->start();
  keep(leases, k_first);
  ASSERT_TRUE(home->wait(std::chrono::seconds(10)));
  home->end();
  leases.look();
  EXPECT_THAT(told_, testing::ElementsAre("this seed ends"));
}

TEST_F(HomeLeasesTest, OfAnAddressTheLastOneIsThereAtTheNextStart) {
  {
    const std::unique_ptr<Home> home = opened();
    HomeLeases leases(*home);
    home->start();
    for (const Lease& lease : {k_first, k_second, k_first_later}) keep(leases, lease);
    ASSERT_TRUE(home->wait(std::chrono::seconds(10)));
  }
  EXPECT_THAT(kept(), testing::ElementsAre(k_first_later, k_second));
}

TEST_F(HomeLeasesTest, WhileTheHomeIsInTroubleNothingIsPromisedAndAfterwardsItIsAsEver) {
  const std::unique_ptr<Home> home = opened();
  HomeLeases leases(*home);
  faults_.calls = 0;
  faults_.fails_at = 1;
  faults_.forever = true;
  home->start();
  keep(leases, k_first);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (told_.empty() && std::chrono::steady_clock::now() < end) leases.look();
  keep(leases, k_second);
  EXPECT_THAT(told_, testing::ElementsAre(testing::HasSubstr("full"), testing::HasSubstr("full")));
  faults_.fails_at = 0;
  while (!home->trouble().empty() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  keep(leases, k_second);
  ASSERT_TRUE(home->wait(std::chrono::seconds(10)));
  leases.look();
  ASSERT_EQ(told_.size(), 3U);
  EXPECT_EQ(told_.back(), "192.0.2.101");
}

}  // namespace
}  // namespace hearth::bootstrap
