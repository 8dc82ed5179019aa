// A server's WebSocket frames, fed in pieces of the first byte's size.
#include "base/net/web_socket_frames.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t piece = data[0] % 16 + 1U;
  const std::string_view text = hearth::fuzz::text_of(data + 1, size - 1);
  hearth::WebSocketReader cut(200);
  hearth::WebSocketReader whole(200);
  std::size_t messages = 0;
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    cut.feed(text.substr(at, piece));
    while (const auto message = cut.next()) {
      ++messages;
      bytes += message->payload.size();
      check(message->payload.size() <= 200);
    }
  }
  whole.feed(text);
  while (const auto message = whole.next()) {
    --messages;
    bytes -= message->payload.size();
  }
  check(messages == 0 && bytes == 0 && cut.problem() == whole.problem());
  return 0;
}
