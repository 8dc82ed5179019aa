#include "pxe/tftp/packet.hpp"

#include <gtest/gtest.h>

namespace hearth::pxe::tftp {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

template <class T>
T parsed(std::string_view bytes) {
  const std::optional<Packet> packet = parse_packet(bytes);
  if (!packet || !std::holds_alternative<T>(*packet)) throw std::runtime_error("another packet");
  return std::get<T>(*packet);
}

TEST(TftpPacket, ARequestHasItsNameItsModeAndItsOptionsWithoutRegardToCase) {
  const auto request = parsed<Request>("\0\1boot/KERNEL\0OcTeT\0TSIZE\0000\0BlkSize\0001468\0"sv);
  EXPECT_FALSE(request.write);
  EXPECT_EQ(request.name, "boot/KERNEL");
  EXPECT_EQ(request.mode, "octet");
  EXPECT_EQ(request.options, (Options{{"tsize", "0"}, {"blksize", "1468"}}));
  EXPECT_TRUE(parsed<Request>("\0\2up\0octet\0"sv).write);
}

TEST(TftpPacket, OfAnOptionGivenTwiceTheFirstCounts) {
  EXPECT_EQ(parsed<Request>("\0\1f\0octet\0blksize\0001024\0BLKSIZE\0008\0"sv).options, (Options{{"blksize", "1024"}}));
}

TEST(TftpPacket, OptionsThatAreCutOffAreLeftOut) {
  EXPECT_EQ(parsed<Request>("\0\1f\0octet\0tsize\0000\0blksize\00014"sv).options, (Options{{"tsize", "0"}}));
  EXPECT_EQ(parsed<Request>("\0\1f\0octet\0tsize"sv).options, Options{});
}

TEST(TftpPacket, ARequestWithoutItsEndsIsNone) {
  EXPECT_FALSE(parse_packet("\0\1file"sv));
  EXPECT_FALSE(parse_packet("\0\1file\0octet"sv));
  EXPECT_FALSE(parse_packet("\0\1"sv));
  EXPECT_FALSE(parse_packet(""));
  EXPECT_FALSE(parse_packet("\0\1"s + std::string(k_request_limit, 'a') + "\0octet\0"s));
}

TEST(TftpPacket, AcksAndErrorsAreRead) {
  EXPECT_EQ(parsed<Ack>("\0\4\xff\xfe"sv).block, 0xfffe);
  const auto error = parsed<ErrorPacket>("\0\5\0\x08no thanks\0"sv);
  EXPECT_EQ(error.code, 8);
  EXPECT_EQ(error.text, "no thanks");
  EXPECT_EQ(parsed<ErrorPacket>("\0\5\0\1unfinished"sv).text, "unfinished");
  EXPECT_EQ(parsed<Other>("\0\3\0\1data"sv).opcode, 3);
}

TEST(TftpPacket, PacketsAreWrittenAsTheRfcsSay) {
  EXPECT_EQ(oack({{"blksize", "1468"}, {"tsize", "7"}}), "\0\6blksize\0001468\0tsize\0007\0"sv);
  EXPECT_EQ(error_packet(ErrorCode::not_found, "File not found"), "\0\5\0\1File not found\0"sv);
  std::array<char, 4> head{};
  write_data_head(head.data(), 0x1234);
  EXPECT_EQ(std::string_view(head.data(), 4), "\0\3\x12\x34"sv);
}

}  // namespace
}  // namespace hearth::pxe::tftp
