#include "pxe/tftp/transfer.hpp"

#include <gmock/gmock.h>

#include "tests/unit/pxe/tftp/loopback.hpp"

namespace hearth::pxe::tftp {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class TftpTransferTest : public testing::Test {
 protected:
  void start(std::string bytes, const Options& asked) {
    Content content = Content::of_bytes(std::move(bytes));
    const Terms terms = negotiate(asked, content.size(), {});
    const Fd probe = open_udp({k_loopback, 0});
    transfer_ =
        std::make_unique<Transfer>(reactor_, Transfer::Start{{k_loopback, 0}, client_at_, std::move(content), terms},
                                   buffer_, [this](const Outcome& outcome) { outcome_ = outcome; });
  }
  std::vector<std::string> taken() {
    reactor_.run_once({});
    std::vector<std::string> packets;
    std::vector<char> buffer(70000);
    while (const auto datagram = receive(socket_, buffer)) {
      server_at_ = datagram->from;
      packets.emplace_back(buffer.data(), datagram->size);
    }
    return packets;
  }
  std::vector<std::string> send(std::string_view packet) {
    EXPECT_TRUE(send_to(socket_, server_at_, packet));
    return taken();
  }

  fakes::ManualClock clock_;
  Reactor reactor_{clock_};
  BurstBuffer buffer_;
  Fd socket_ = open_udp({k_loopback, 0});
  Endpoint client_at_ = local_endpoint(socket_);
  Endpoint server_at_;
  std::optional<Outcome> outcome_;
  std::unique_ptr<Transfer> transfer_;
};

TEST_F(TftpTransferTest, AWindowOfBlocksIsSentAtOnceAndTheLastOneIsShort) {
  start("aaaaaaaabbbbbbbbccc", {{"blksize", "8"}, {"windowsize", "8"}});
  EXPECT_THAT(taken(), ElementsAre("\0\6blksize\08\0windowsize\08\0"s));
  EXPECT_THAT(send("\0\4\0\0"sv), ElementsAre("\0\3\0\1aaaaaaaa"s, "\0\3\0\2bbbbbbbb"s, "\0\3\0\3ccc"s));
  EXPECT_THAT(send("\0\4\0\3"sv), IsEmpty());
  EXPECT_TRUE(outcome_.value().good);
  EXPECT_EQ(outcome_->bytes, 19U);
}

TEST_F(TftpTransferTest, AGapIsFilledFromTheBlockAfterTheAcknowledgedOne) {
  start("aaaaaaaabbbbbbbbcccccccc", {{"blksize", "8"}, {"windowsize", "2"}});
  (void)taken();
  (void)send("\0\4\0\0"sv);
  EXPECT_THAT(send("\0\4\0\1"sv), ElementsAre("\0\3\0\2bbbbbbbb"s, "\0\3\0\3cccccccc"s));
}

TEST_F(TftpTransferTest, WindowsBeyondOneDatagramOfTheKernelAreStillWhole) {
  std::string bytes(std::size_t{1468} * 44, 'x');
  start(bytes, {{"blksize", "1468"}, {"windowsize", "64"}});
  EXPECT_THAT(taken(), ElementsAre("\0\6blksize\0001468\0windowsize\00044\0"s));
  const std::vector<std::string> packets = send("\0\4\0\0"sv);
  ASSERT_THAT(packets, SizeIs(44));
  for (const std::string& packet : packets) EXPECT_EQ(packet.size(), 1472U);
  EXPECT_THAT(send("\0\4\0\x2c"sv), ElementsAre("\0\3\0\x2d"s));
}

TEST_F(TftpTransferTest, AStrangerIsToldSoAndTheTransferGoesOn) {
  start("x", {});
  (void)taken();
  const Fd stranger = open_udp({k_loopback, 0});
  ASSERT_TRUE(send_to(stranger, server_at_, "\0\4\0\1"sv));
  reactor_.run_once({});
  std::array<char, 100> buffer{};
  const auto answer = receive(stranger, buffer);
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::string_view(buffer.data(), answer->size), "\0\5\0\5Unknown transfer\0"sv);
  EXPECT_FALSE(outcome_);
  (void)send("\0\4\0\1"sv);
  EXPECT_TRUE(outcome_.value().good);
}

TEST_F(TftpTransferTest, AClientThatOnlyWantedTheSizeIsServedWell) {
  start("12345", {{"tsize", "0"}});
  EXPECT_THAT(taken(), ElementsAre("\0\6tsize\0005\0"s));
  (void)send(
      "\0\5\0\x08"
      "enough\0"sv);
  EXPECT_TRUE(outcome_.value().good);
  EXPECT_EQ(outcome_->text, "only asked for the size");
}

TEST_F(TftpTransferTest, AClientThatStopsIsReportedWithItsReason) {
  start(std::string(2000, 'x'), {});
  (void)taken();
  (void)send("\0\5\0\3disk full\0"sv);
  EXPECT_FALSE(outcome_.value().good);
  EXPECT_EQ(outcome_->text, "the client stopped: error 3 disk full");
}

TEST_F(TftpTransferTest, WhatIsLostIsSentAgainAfterAWhile) {
  start("x", {});
  EXPECT_THAT(taken(), ElementsAre("\0\3\0\1x"s));
  EXPECT_EQ(transfer_->check_time(), transfer_->deadline());
  EXPECT_THAT(taken(), IsEmpty());
  clock_.advance(std::chrono::seconds(1));
  reactor_.run_once({});
  (void)transfer_->check_time();
  EXPECT_THAT(taken(), ElementsAre("\0\3\0\1x"s));
}

TEST_F(TftpTransferTest, DuplicateAcksAreAnsweredWithNothing) {
  start(std::string(2000, 'x'), {});
  (void)taken();
  EXPECT_THAT(send("\0\4\0\1"sv), SizeIs(1));
  EXPECT_THAT(send("\0\4\0\1"sv), IsEmpty());
  EXPECT_THAT(send("\0\4\0\2"sv), SizeIs(1));
}

}  // namespace
}  // namespace hearth::pxe::tftp
