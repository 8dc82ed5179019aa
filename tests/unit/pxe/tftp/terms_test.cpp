#include "pxe/tftp/terms.hpp"

#include <gtest/gtest.h>

namespace hearth::pxe::tftp {
namespace {

TEST(TftpTerms, WithoutOptionsItIsPlainRfc1350) {
  const Terms terms = negotiate({}, 100, {});
  EXPECT_EQ(terms.block_size, 512U);
  EXPECT_EQ(terms.window, 1U);
  EXPECT_TRUE(terms.accepted.empty());
}

TEST(TftpTerms, WhatIsAskedForIsGrantedWithinTheLimits) {
  const Terms terms = negotiate({{"tsize", "0"}, {"blksize", "1468"}, {"windowsize", "4"}, {"timeout", "3"}}, 7000, {});
  EXPECT_EQ(terms.block_size, 1468U);
  EXPECT_EQ(terms.window, 4U);
  EXPECT_EQ(terms.timeout_s, 3);
  EXPECT_EQ(terms.accepted, (Options{{"tsize", "7000"}, {"blksize", "1468"}, {"timeout", "3"}, {"windowsize", "4"}}));
}

TEST(TftpTerms, OptionsThatMakeNoSenseAreLeftOutAndTheTransferGoesOn) {
  EXPECT_TRUE(negotiate({{"blksize", "7"},
                         {"blksize", "abc"},
                         {"timeout", "0"},
                         {"timeout", "256"},
                         {"windowsize", "0"},
                         {"windowsize", "65536"},
                         {"tsize", "-1"},
                         {"multicast", ""},
                         {"blksize", "99999999999999999999"}},
                        1, {})
                  .accepted.empty());
}

TEST(TftpTerms, ABlockSizeAboveTheLimitIsLowered) {
  EXPECT_EQ(negotiate({{"blksize", "65464"}}, 1, {.block_size = 1428}).accepted, (Options{{"blksize", "1428"}}));
  EXPECT_EQ(negotiate({{"blksize", "65535"}}, 1, {}).block_size, 65464U);
}

TEST(TftpTerms, AWindowNeverOverrunsAReceiver) {
  for (const char* block : {"8", "512", "1468", "8192", "65464"}) {
    const Terms terms = negotiate({{"windowsize", "65535"}, {"blksize", block}}, 1, {});
    EXPECT_GE(terms.window, 1U);
    EXPECT_LE(terms.window * terms.block_size, 64U * 1024U);
    EXPECT_LE(terms.window * (terms.block_size + 1024), 212992U) << "a default socket buffer, with bookkeeping";
  }
}

}  // namespace
}  // namespace hearth::pxe::tftp
