#include "pxe/tftp/burst_buffer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/sys/file.hpp"

namespace hearth::pxe::tftp {
namespace {

using namespace std::string_view_literals;

class BurstBufferTest : public testing::Test {
 protected:
  std::string_view filled(std::uint64_t owner, const Content& content, const Burst& burst) {
    const std::span<const char> packets = buffer_.fill(owner, content, 4, burst);
    return {packets.data(), packets.size()};
  }

  BurstBuffer buffer_;
  std::uint64_t one_ = buffer_.new_owner();
  std::uint64_t two_ = buffer_.new_owner();
};

TEST_F(BurstBufferTest, HoldsPacketsOneBehindTheOtherAndTheLastIsShort) {
  const Content content = Content::of_bytes("aaaabbbbcc");
  EXPECT_EQ(filled(one_, content, {1, 3}), "\0\3\0\1aaaa\0\3\0\2bbbb\0\3\0\3cc"sv);
  EXPECT_EQ(filled(one_, content, {2, 1}), "\0\3\0\2bbbb"sv);
}

TEST_F(BurstBufferTest, AnEmptyLastBlockIsAPacketToo) {
  EXPECT_EQ(filled(one_, Content::of_bytes("aaaa"), {2, 1}), "\0\3\0\2"sv);
}

TEST_F(BurstBufferTest, WhatOneHasFilledAheadIsNotTakenForTheOthers) {
  const Content first = Content::of_bytes("aaaa");
  const Content second = Content::of_bytes("zzzz");
  EXPECT_EQ(filled(one_, first, {1, 1}), "\0\3\0\1aaaa"sv);
  EXPECT_EQ(filled(two_, second, {1, 1}), "\0\3\0\1zzzz"sv);
  EXPECT_EQ(filled(one_, first, {1, 1}), "\0\3\0\1aaaa"sv);
}

TEST_F(BurstBufferTest, WhatIsThereAlreadyIsNotReadAgain) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "burst-");
  RealFileSystem().write(work.path() / "file", "aaaabbbb", {});
  const Content content = open_content((work.path() / "file").string());
  EXPECT_EQ(filled(one_, content, {1, 2}), "\0\3\0\1aaaa\0\3\0\2bbbb"sv);
  ASSERT_EQ(::truncate((work.path() / "file").c_str(), 0), 0);
  EXPECT_EQ(filled(one_, content, {1, 2}), "\0\3\0\1aaaa\0\3\0\2bbbb"sv);
  EXPECT_EQ(filled(one_, content, {2, 1}), "\0\3\0\2bbbb"sv) << "a part of it is there, too";
  EXPECT_EQ(filled(two_, content, {1, 1}), "") << "the file has become shorter";
  EXPECT_EQ(filled(one_, content, {1, 2}), "") << "what could not be read is not there";
}

}  // namespace
}  // namespace hearth::pxe::tftp
