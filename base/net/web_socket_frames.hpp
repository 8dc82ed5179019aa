// The frames of the WebSocket protocol (RFC 6455 section 5), as values: no socket here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearth {

enum class WebSocketOpcode : std::uint8_t { text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

/// A whole message, its fragments joined.
struct WebSocketMessage {
  WebSocketOpcode opcode = WebSocketOpcode::text;
  std::string payload;
  bool operator==(const WebSocketMessage&) const = default;
};

/// One unfragmented frame of a client, which must mask what it sends with four random bytes.
[[nodiscard]] std::string client_frame(const WebSocketMessage& message, std::array<unsigned char, 4> mask);

/// Messages out of a server's bytes as they come.
class WebSocketReader {
 public:
  explicit WebSocketReader(std::size_t limit = std::size_t{64} << 20U) : limit_(limit) {}

  void feed(std::string_view bytes) { pending_.append(bytes); }
  /// The next whole message; nothing when more bytes are needed, or when there is a problem.
  [[nodiscard]] std::optional<WebSocketMessage> next();
  /// Why these bytes are no WebSocket; empty as long as all is well.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Frame;
  [[nodiscard]] std::optional<Frame> take_frame();
  [[nodiscard]] std::optional<WebSocketMessage> take(Frame frame);
  void fail(std::string problem);

  std::size_t limit_;
  std::string pending_;
  std::optional<WebSocketMessage> open_;  ///< a fragmented message, so far
  std::string problem_;
};

/// The Sec-WebSocket-Accept that answers a Sec-WebSocket-Key (RFC 6455 section 4.2.2).
[[nodiscard]] std::string web_socket_accept(const std::string& key);

}  // namespace hearth
