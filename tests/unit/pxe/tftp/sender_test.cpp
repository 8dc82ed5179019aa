#include "pxe/tftp/sender.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace hearth::pxe::tftp {
namespace {

TEST(TftpSender, InLockStepEachAckBringsTheNextBlock) {
  Sender sender(3, 1, false);
  EXPECT_EQ(sender.again(), (Burst{1, 1}));
  EXPECT_EQ(sender.acknowledged(1), (Burst{2, 1}));
  EXPECT_EQ(sender.acknowledged(2), (Burst{3, 1}));
  EXPECT_FALSE(sender.finished());
  EXPECT_EQ(sender.acknowledged(3), Burst{});
  EXPECT_TRUE(sender.finished());
}

TEST(TftpSender, TellsWhatItWillSendWhenAllArrives) {
  Sender sender(5, 2, false);
  EXPECT_EQ(sender.again(), (Burst{1, 2}));
  const Burst expected = sender.expected(2);
  EXPECT_EQ(sender.acknowledged(2), expected);
  EXPECT_EQ(sender.expected(2), (Burst{5, 1}));
  (void)sender.acknowledged(4);
  EXPECT_EQ(sender.expected(2).count, 0U);
}

TEST(TftpSender, ADuplicateAckInLockStepIsAnsweredWithNothing) {
  Sender sender(9, 1, false);
  (void)sender.again();
  (void)sender.acknowledged(1);
  EXPECT_EQ(sender.acknowledged(1), Burst{});
  EXPECT_EQ(sender.acknowledged(0), Burst{});
  EXPECT_EQ(sender.acknowledged(3), Burst{}) << "a block that was never sent";
  EXPECT_EQ(sender.again(), (Burst{2, 1}));
}

TEST(TftpSender, AnOackIsAcknowledgedAsBlockZeroFirst) {
  Sender sender(2, 1, true);
  EXPECT_TRUE(sender.awaits_oack());
  EXPECT_EQ(sender.again(), Burst{});
  EXPECT_EQ(sender.acknowledged(1), Burst{});
  EXPECT_EQ(sender.acknowledged(0), (Burst{1, 1}));
}

TEST(TftpSender, AWindowGoesOnBehindTheBlockThatWasAcknowledged) {
  Sender sender(10, 4, false);
  EXPECT_EQ(sender.again(), (Burst{1, 4}));
  EXPECT_EQ(sender.acknowledged(2), (Burst{3, 4}));
  EXPECT_EQ(sender.acknowledged(6), (Burst{7, 4}));
  EXPECT_EQ(sender.acknowledged(8), (Burst{9, 2}));
  EXPECT_EQ(sender.acknowledged(10), Burst{});
  EXPECT_TRUE(sender.finished());
}

TEST(TftpSender, CopiesOfAcksDoNotBreedCopiesOfWindows) {
  Sender sender(400, 4, false);
  int bursts = 1;
  (void)sender.again();
  for (std::uint16_t block = 4; block < 400; block = static_cast<std::uint16_t>(block + 4)) {
    bursts += sender.acknowledged(block).count > 0 ? 1 : 0;
    for (int copy = 0; copy < 5; ++copy) bursts += sender.acknowledged(block).count > 0 ? 1 : 0;
  }
  EXPECT_LE(bursts, 100 * 4 / 3 + 1);
}

TEST(TftpSender, BlockNumbersRollOver) {
  Sender sender(200000, 16, false);
  Burst burst = sender.again();
  while (burst.count > 0) burst = sender.acknowledged(static_cast<std::uint16_t>(burst.first + burst.count - 1));
  EXPECT_TRUE(sender.finished());
  EXPECT_EQ(sender.acknowledged_blocks(), 200000U);
}

/// A receiver as RFC 7440 section 4 has it, behind a link that loses, doubles and swaps packets, both ways.
class LossyLink {
 public:
  LossyLink(std::uint64_t blocks, std::uint32_t window, unsigned seed)
      : sender_(blocks, window, false), blocks_(blocks), window_(window), random_(seed) {}

  /// How often the sender had to wait for its timer until all blocks had arrived; -1 when they never did.
  int run() {
    put(sender_.again());
    for (int waits = 0; waits < 100000; ++waits) {
      exchange();
      if (sender_.finished()) return received_ == blocks_ ? waits : -1;
      if (received_ == blocks_ && happens(50)) return waits;   // the last ACK was lost for good; the client has gone
      acks_.push_back(static_cast<std::uint16_t>(received_));  // the client's own timer
      put(sender_.again());
    }
    return -1;
  }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  bool happens(int percent) { return std::uniform_int_distribution<>(0, 99)(random_) < percent; }

  void put(const Burst& burst) {
    for (std::uint64_t block = burst.first; block < burst.first + burst.count; ++block) {
      ++sent_;
      if (happens(5)) continue;
      data_.push_back(block);
      if (happens(5)) data_.push_back(block);
      if (happens(5) && data_.size() > 1) std::swap(data_.back(), data_[data_.size() - 2]);
    }
  }

  void exchange() {
    while (!data_.empty() || !acks_.empty()) {
      while (!data_.empty()) {
        take(data_.front());
        data_.pop_front();
      }
      if (acks_.empty()) continue;
      const std::uint16_t ack = acks_.front();
      acks_.pop_front();
      if (!happens(5)) put(sender_.acknowledged(ack));
    }
  }

  void take(std::uint64_t block) {
    if (block != received_ + 1) {  // a gap or a copy: say once what came last
      if (!gap_told_) acks_.push_back(static_cast<std::uint16_t>(received_));
      gap_told_ = true;
      in_window_ = 0;
      return;
    }
    gap_told_ = false;
    ++received_;
    if (++in_window_ < window_ && received_ < blocks_) return;
    in_window_ = 0;
    acks_.push_back(static_cast<std::uint16_t>(received_));
  }

  Sender sender_;
  std::uint64_t blocks_;
  std::uint32_t window_;
  std::mt19937 random_;
  std::deque<std::uint64_t> data_;
  std::deque<std::uint16_t> acks_;
  std::uint64_t received_ = 0;
  std::uint64_t sent_ = 0;
  std::uint32_t in_window_ = 0;
  bool gap_told_ = false;
};

TEST(TftpSender, ALinkThatLosesDoublesAndSwapsIsOutlivedWithoutAFlood) {
  for (const std::uint32_t window : {1U, 4U, 16U, 44U}) {
    for (unsigned seed = 0; seed < 30; ++seed) {
      LossyLink link(3000, window, seed);
      EXPECT_GE(link.run(), 0) << "window " << window << " seed " << seed;
      EXPECT_LT(link.sent(), 3000U * (2 + window * 3 / 4)) << "window " << window << " seed " << seed;
    }
  }
}

}  // namespace
}  // namespace hearth::pxe::tftp
