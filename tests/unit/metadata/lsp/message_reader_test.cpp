#include "metadata/lsp/message_reader.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::metadata::lsp {
namespace {

TEST(MessageReader, messages_come_in_pieces_and_together) {
  MessageReader reader;
  for (const char c : std::string("Content-Type: x\r\ncontent-length: 3\r\n\r\nab")) {
    reader.add(std::string(1, c));
    EXPECT_FALSE(reader.next());
  }
  reader.add(cat("c", framed("{}")));
  EXPECT_EQ(reader.next()->body, "abc");
  EXPECT_EQ(reader.next()->body, "{}");
  EXPECT_FALSE(reader.next());
}

TEST(MessageReader, what_is_no_frame_is_refused) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("Content-Length: -1\r\n\r\n"),
        std::string("Content-Length: 99999999999999999999\r\n\r\n"), std::string("Content-Type: x\r\n\r\n"),
        "Content-" + std::string(5000, 'x'), std::string("hello")}) {
    MessageReader reader;
    reader.add(bytes);
    EXPECT_THROW((void)reader.next(), Error) << bytes.substr(0, 40);
  }
}

TEST(MessageReader, what_is_too_long_is_passed_over_and_the_next_one_is_read) {
  MessageReader reader;
  const std::size_t length = k_longest_message + 100'000;
  reader.add(cat("Content-Length: ", length, "\r\n\r\n"));
  const std::string piece(1U << 20U, 'x');
  for (std::size_t given = 0; given < length; given += piece.size()) {
    EXPECT_FALSE(reader.next());
    reader.add(std::string_view(piece).substr(0, length - given));
  }
  reader.add(framed("next"));
  EXPECT_TRUE(reader.next()->passed_over);
  EXPECT_EQ(reader.next()->body, "next");
}

}  // namespace
}  // namespace hearth::metadata::lsp
