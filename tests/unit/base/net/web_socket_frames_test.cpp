#include "base/net/web_socket_frames.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

using Opcode = WebSocketOpcode;

TEST(WebSocketFrames, AClientsFrameIsMasked) {
  EXPECT_EQ(client_frame({Opcode::text, "Hello"}, {0x37, 0xfa, 0x21, 0x3d}),
            "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");  // RFC 6455 section 5.7
  EXPECT_EQ(client_frame({Opcode::text, std::string(126, 'x')}, {}).substr(0, 4), std::string("\x81\xfe\x00\x7e", 4));
  EXPECT_EQ(client_frame({Opcode::text, std::string(70000, 'x')}, {}).substr(0, 10),
            std::string("\x81\xff\x00\x00\x00\x00\x00\x01\x11\x70", 10));
}

TEST(WebSocketFrames, FragmentsAreJoinedAroundControlFrames) {
  WebSocketReader reader;
  for (const char byte : std::string("\x01\x03Hel\x89\x01!\x80\x02lo", 12)) reader.feed({&byte, 1});
  EXPECT_EQ(reader.next(), (WebSocketMessage{Opcode::ping, "!"}));
  EXPECT_EQ(reader.next(), (WebSocketMessage{Opcode::text, "Hello"}));
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.problem(), "");
}

TEST(WebSocketFrames, LongLengthsAreRead) {
  WebSocketReader reader;
  reader.feed(std::string("\x82\x7e\x01\x00", 4) + std::string(256, 'y'));
  EXPECT_EQ(reader.next()->payload.size(), 256U);
  reader.feed(std::string("\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10) + std::string(65536, 'y'));
  EXPECT_EQ(reader.next()->payload.size(), 65536U);
}

TEST(WebSocketFrames, WhatBreaksTheProtocolIsAProblem) {
  for (const std::string& bytes :
       {std::string("\xc1\x00", 2), std::string("\x81\x80\x00\x00\x00\x00", 6), std::string("\x83\x00", 2),
        std::string("\x09\x00", 2), std::string("\x80\x00", 2), std::string("\x01\x00\x81\x00", 4),
        std::string("\x89\x7e\x00\x7e", 4) + std::string(126, 'x')}) {
    WebSocketReader reader;
    reader.feed(bytes);
    while (reader.next()) {
    }
    EXPECT_NE(reader.problem(), "") << static_cast<int>(bytes[0]);
  }
}

TEST(WebSocketFrames, LongMessagesAreRefusedBeforeTheyArrive) {
  WebSocketReader reader(100);
  reader.feed(std::string("\x81\x7f\x7f\x00\x00\x00\x00\x00\x00\x00", 10));
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.problem(), "the message is longer than allowed");
  WebSocketReader joined(100);
  joined.feed(std::string("\x01\x50", 2) + std::string(80, 'x') + std::string("\x80\x50", 2) + std::string(80, 'x'));
  EXPECT_EQ(joined.next(), std::nullopt);
  EXPECT_EQ(joined.problem(), "the message is longer than allowed");
}

TEST(WebSocketFrames, TheServersProofIsThatOfTheStandard) {
  EXPECT_EQ(web_socket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");  // section 1.3
}

}  // namespace
}  // namespace hearth
