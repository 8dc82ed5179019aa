#include "pxe/net/unanswered.hpp"

#include <gtest/gtest.h>

namespace hearth::pxe {
namespace {

constexpr Ipv4 k_machine{0xc0000232}, k_seed{0xc0000201}, k_nobody{0xc0000263};
const Mac k_mac = *parse_mac("52:54:00:00:00:02");
constexpr auto k_second = std::chrono::seconds(1);

class UnansweredTest : public testing::Test {
 protected:
  std::optional<Unanswered> ask(int second) {
    return tries.asked({k_mac, k_machine, k_nobody}, MonotonicTime(second * k_second));
  }
  std::optional<Unanswered> connect(std::uint16_t from, const Endpoint& to, bool is_ours, int second) {
    return tries.tried(k_mac, {Attempt::Kind::tcp, {k_machine, from}, to, ""}, is_ours,
                       MonotonicTime(second * k_second));
  }

  UnansweredTries tries{
      [](Attempt::Kind kind, const Endpoint& at) { return kind == Attempt::Kind::tcp && at.port == 8000; }};
};

TEST_F(UnansweredTest, AnAddressThatIsAskedForThreeTimesInARowIsNobodys) {
  EXPECT_FALSE(ask(100));
  EXPECT_FALSE(ask(101));
  const std::optional<Unanswered> told = ask(102);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->protocol, "arp");
  EXPECT_EQ(told->what, "who-has 192.0.2.99");
  EXPECT_EQ(told->outcome, "nobody has 192.0.2.99");
}

TEST_F(UnansweredTest, NowAndThenIsNoRow) {
  for (int second = 0; second < 600; second += 6) EXPECT_FALSE(ask(second)) << second;
}

TEST_F(UnansweredTest, ItIsToldOnceAMinuteForAsLongAsItGoesOn) {
  int told = 0;
  for (int second = 0; second < 300; ++second) told += ask(second) ? 1 : 0;
  EXPECT_EQ(told, 5);
}

TEST_F(UnansweredTest, APortOfOursWhereNobodyListensIsToldAtOnceAndOneThatIsServedNotAtAll) {
  const std::optional<Unanswered> told = connect(40000, {k_seed, 8999}, true, 1);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->outcome, "nothing listens at 192.0.2.1:8999");
  EXPECT_FALSE(connect(40001, {k_seed, 8999}, true, 2)) << "told a second ago";
  for (std::uint16_t port = 0; port < 20; ++port) EXPECT_FALSE(connect(port, {k_seed, 8000}, true, 3));
}

TEST_F(UnansweredTest, AConnectionThatIsBegunAgainHadNoAnswer) {
  EXPECT_FALSE(connect(40000, {k_nobody, 80}, false, 0));
  EXPECT_FALSE(connect(40000, {k_nobody, 80}, false, 1));
  EXPECT_EQ(connect(40000, {k_nobody, 80}, false, 3)->outcome, "no answer from 192.0.2.99:80");
}

TEST_F(UnansweredTest, ANameServerThatIsNoneIsToldWithTheName) {
  const Attempt attempt{Attempt::Kind::dns, {k_machine, 5000}, {k_seed, 53}, "seed.example"};
  const std::optional<Unanswered> told = tries.tried(k_mac, attempt, true, MonotonicTime());
  ASSERT_TRUE(told);
  EXPECT_EQ(told->what, "query seed.example");
  EXPECT_EQ(told->outcome, "no name server runs at 192.0.2.1");
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(tries.tried(k_mac, attempt, false, MonotonicTime())) << "behind us";
}

TEST_F(UnansweredTest, ManyMadeUpAddressesTakeNoMoreMemory) {
  for (std::uint32_t i = 0; i < 100'000; ++i) EXPECT_FALSE(tries.asked({k_mac, k_machine, Ipv4{i}}, MonotonicTime()));
  EXPECT_FALSE(ask(1));
  EXPECT_FALSE(ask(2));
  EXPECT_TRUE(ask(3));
}

TEST_F(UnansweredTest, AMachineThatScansIsToldOfTenTimesAMinute) {
  int told = 0;
  for (std::uint16_t port = 1; port < 3000; ++port) told += connect(40000, {k_seed, port}, true, 1) ? 1 : 0;
  EXPECT_EQ(told, 10);
  EXPECT_TRUE(connect(40000, {k_seed, 3001}, true, 61));
}

TEST(Listeners, AreReadFromTheKernelsTables) {
  const char* const table =
      "  sl  local_address rem_address   st tx_queue rx_queue\n"
      "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000\n"
      "   1: 010200C0:1F90 320200C0:9C40 01 00000000:00000000\n"
      "   2: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 0\n"
      "   3: 0000000000000000FFFF0000010200C0:0050 00000000000000000000000000000000:0000 0A 0\n"
      "   4: 000080FE00000000FF005452020000FE:0051 00000000000000000000000000000000:0000 0A 0\n"
      "   5: zz:0052 x 0A\n   6: \n";
  const std::set<Endpoint> expected = {{Ipv4{0x7f000001}, 8000}, {{}, 22}, {k_seed, 80}};
  EXPECT_EQ(listeners_in(table), expected) << "neither connections nor other addresses of IPv6";
  EXPECT_TRUE(listeners_in("").empty());
}

}  // namespace
}  // namespace hearth::pxe
