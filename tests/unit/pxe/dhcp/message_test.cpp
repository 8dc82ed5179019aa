#include "pxe/dhcp/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::pxe::dhcp {
namespace {

using namespace std::string_literals;

Message discover() {
  Message message{.xid = 0x12345678, .secs = 4, .flags = 0x8000};
  message.chaddr = parse_mac("52:54:00:00:00:01").value();
  message.set_byte(option::type, 1);
  return message;
}

/// The bytes with their options field replaced.
std::string with_options(const std::string& options) { return write_message(discover(), 548).substr(0, 240) + options; }

TEST(DhcpMessage, WhatIsWrittenIsReadBack) {
  Message message = discover();
  message.op = 2;
  message.yiaddr = Ipv4{0xc0000264};
  message.siaddr = Ipv4{0xc0000201};
  message.giaddr = Ipv4{0xc6336401};
  message.sname = "192.0.2.1";
  message.file = "undionly.kpxe";
  message.set_addresses(option::dns, {Ipv4{1}, Ipv4{2}});
  const Result<Message, std::string> read = parse_message(write_message(message, 548));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->xid, message.xid);
  EXPECT_EQ(read->flags, message.flags);
  EXPECT_EQ(read->chaddr, message.chaddr);
  EXPECT_EQ(read->yiaddr, message.yiaddr);
  EXPECT_EQ(read->siaddr, message.siaddr);
  EXPECT_EQ(read->giaddr, message.giaddr);
  EXPECT_EQ(read->sname, message.sname);
  EXPECT_EQ(read->file, message.file);
  EXPECT_EQ(read->options, message.options);
  EXPECT_EQ(read->type(), Type::discover);
}

TEST(DhcpMessage, BytesThatAreNoDhcpSayWhy) {
  EXPECT_EQ(parse_message("short").error(), "only 5 bytes");
  std::string bytes = write_message(discover(), 548);
  bytes[0] = 7;
  EXPECT_EQ(parse_message(bytes).error(), "op is 7");
  bytes[0] = 1;
  bytes[2] = 16;
  EXPECT_EQ(parse_message(bytes).error(), "hardware addresses of 16 bytes");
  bytes[2] = 6;
  bytes[236] = 0;
  EXPECT_EQ(parse_message(bytes).error(), "no magic cookie");
}

TEST(DhcpMessage, AnOptionInPartsIsOne) {
  const auto message = parse_message(with_options("\x35\1\1\x43\3abc\x0c\1x\x43\2de\xff"s));
  ASSERT_TRUE(message);
  EXPECT_EQ(*message->find(option::boot_file), "abcde");
}

TEST(DhcpMessage, AnOptionLongerThan255BytesIsWrittenInParts) {
  Message message = discover();
  message.set(option::boot_file, std::string(600, 'u'));
  const auto read = parse_message(write_message(message, 1472));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->find(option::boot_file), std::string(600, 'u'));
}

TEST(DhcpMessage, OptionsThatAreCutOffEndTheList) {
  const auto message =
      parse_message(with_options("\x35\1\1\0\0\x0c\x20"
                                 "abc"s));
  ASSERT_TRUE(message);
  EXPECT_EQ(message->type(), Type::discover);
  EXPECT_EQ(message->find(option::hostname), nullptr);
  EXPECT_TRUE(parse_message(with_options("\x35"s)));
  EXPECT_TRUE(parse_message(with_options(""s)));
}

TEST(DhcpMessage, OptionsInFileAndSnameAreReadOnceEvenIfTheyPointAtEachOther) {
  std::string bytes = with_options("\x35\1\1\x34\1\3\xff"s);
  bytes.replace(108, 8, "\x43\4file\xff\0"s);
  bytes.replace(44, 8, "\x34\1\3\x0c\1s\xff\0"s);  // an option 52 in here opens nothing more
  const auto message = parse_message(bytes);
  ASSERT_TRUE(message);
  EXPECT_EQ(*message->find(option::boot_file), "file");
  EXPECT_EQ(*message->find(option::hostname), "s");
  EXPECT_EQ(message->file, "");
  EXPECT_EQ(message->sname, "");
}

TEST(DhcpMessage, AnAnswerKeepsToItsLimitAndLeavesOutWhatIsLeastNeeded) {
  Message message = discover();
  message.set(option::search, std::string(250, 's'));
  message.set(option::ntp, std::string(248, 'n'));
  message.set_address(option::mask, Ipv4{0xffffff00});
  message.set(option::relay, "\1\4eth0"s);
  const std::string bytes = write_message(message, 548);
  EXPECT_LE(bytes.size(), 548U);
  const auto read = parse_message(bytes);
  ASSERT_TRUE(read);
  EXPECT_NE(read->find(option::mask), nullptr);
  EXPECT_NE(read->find(option::relay), nullptr);
  EXPECT_TRUE((read->find(option::search) == nullptr) != (read->find(option::ntp) == nullptr));
  EXPECT_EQ(bytes.substr(240, 3), "\x35\1\1"s) << "the type stands first";
  const std::string trimmed = bytes.substr(0, bytes.find_last_not_of('\0') + 1);
  EXPECT_TRUE(trimmed.ends_with("\x52\6\1\4eth0\xff"s)) << "the relay's option stands last";
}

TEST(DhcpMessage, ShortOnesArePaddedForOldRelays) { EXPECT_EQ(write_message(discover(), 548).size(), 300U); }

TEST(DhcpMessage, TheLimitIsWhatTheClientSaysWithinReason) {
  Message message = discover();
  EXPECT_EQ(answer_limit(message), 548U);
  message.set(option::max_size, "\5\xdc"s);
  EXPECT_EQ(answer_limit(message), 1472U);
  message.set(option::max_size, "\xff\xff"s);
  EXPECT_EQ(answer_limit(message), 1472U);
  message.set(option::max_size, "\0\1"s);
  EXPECT_EQ(answer_limit(message), 548U);
}

TEST(DhcpMessage, SuboptionsAreReadAndWritten) {
  EXPECT_EQ(write_suboptions({{6, "\x08"}}, true), "\6\1\x08\xff"s);
  EXPECT_EQ(parse_suboptions("\1\4eth0\5\4\xc0\0\2\0"s), (Options{{1, "eth0"}, {5, "\xc0\0\2\0"s}}));
}

TEST(DhcpMessage, SearchListsAreLabelsAndOddNamesAreLeftOut) {
  EXPECT_EQ(search_list({"example.org", "bad..name", "lab.", std::string(64, 'x')}), "\7example\3org\0\3lab\0"s);
}

}  // namespace
}  // namespace hearth::pxe::dhcp
