#include "base/net/web_socket_frames.hpp"

#include <utility>

#include "base/byte_order.hpp"
#include "base/hash.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr unsigned k_final = 0x80;
constexpr unsigned k_masked = 0x80;
constexpr std::size_t k_longest_control = 125;

}  // namespace

struct WebSocketReader::Frame {
  bool final = false;
  unsigned opcode = 0;
  std::string payload;
};

std::string client_frame(const WebSocketMessage& message, std::array<unsigned char, 4> mask) {
  std::string frame;
  frame.push_back(static_cast<char>(k_final | static_cast<unsigned>(message.opcode)));
  const std::uint64_t size = message.payload.size();
  if (size < 126) {
    frame += big_endian(k_masked | size, 1);
  } else if (size <= 0xffff) {
    frame += big_endian(k_masked | 126, 1);
    frame += big_endian(size, 2);
  } else {
    frame += big_endian(k_masked | 127, 1);
    frame += big_endian(size, 8);
  }
  for (const unsigned char byte : mask) frame.push_back(static_cast<char>(byte));
  for (std::size_t i = 0; i < size; ++i) {
    frame.push_back(static_cast<char>(static_cast<unsigned char>(message.payload[i]) ^ mask[i % 4]));
  }
  return frame;
}

void WebSocketReader::fail(std::string problem) {
  problem_ = std::move(problem);
  pending_.clear();
}

std::optional<WebSocketReader::Frame> WebSocketReader::take_frame() {
  if (pending_.size() < 2) return std::nullopt;
  const auto first = static_cast<unsigned char>(pending_[0]);
  const auto second = static_cast<unsigned char>(pending_[1]);
  if ((first & 0x70U) != 0 || (second & k_masked) != 0) {
    fail("the server's frames break the WebSocket protocol");
    return std::nullopt;
  }
  std::uint64_t size = second & 0x7fU;
  const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (pending_.size() < 2 + more) return std::nullopt;
  if (more > 0) size = get_be(pending_, 2, more);
  if (size > limit_) {
    fail("the message is longer than allowed");
    return std::nullopt;
  }
  if (pending_.size() - 2 - more < size) return std::nullopt;
  Frame frame{(first & k_final) != 0, first & 0xfU, pending_.substr(2 + more, size)};
  pending_.erase(0, 2 + more + size);
  return frame;
}

/// The message that this frame completes, if it does. Control frames may stand between fragments.
std::optional<WebSocketMessage> WebSocketReader::take(Frame frame) {
  const bool is_control = frame.opcode >= 8;
  const bool continues = frame.opcode == 0;
  const bool known = continues || frame.opcode == 1 || frame.opcode == 2 || (frame.opcode >= 8 && frame.opcode <= 10);
  const bool bad_control = is_control && (!frame.final || frame.payload.size() > k_longest_control);
  if (!known || bad_control || (!is_control && continues != open_.has_value())) {
    fail("the server's frames break the WebSocket protocol");
    return std::nullopt;
  }
  if (is_control) return WebSocketMessage{static_cast<WebSocketOpcode>(frame.opcode), std::move(frame.payload)};
  if (!continues) open_ = WebSocketMessage{static_cast<WebSocketOpcode>(frame.opcode), ""};
  if (open_->payload.size() + frame.payload.size() > limit_) {
    fail("the message is longer than allowed");
    return std::nullopt;
  }
  open_->payload += frame.payload;
  return frame.final ? std::exchange(open_, std::nullopt) : std::nullopt;
}

std::optional<WebSocketMessage> WebSocketReader::next() {
  while (problem_.empty()) {
    std::optional<Frame> frame = take_frame();
    if (!frame) return std::nullopt;
    std::optional<WebSocketMessage> message = take(std::move(*frame));
    if (message) return message;
  }
  return std::nullopt;
}

std::string web_socket_accept(const std::string& key) {
  return base64_encode(from_hex(hex_digest(HashKind::sha1, cat(key, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))));
}

}  // namespace hearth
