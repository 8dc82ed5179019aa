// The frames of the Language Server Protocol: "Content-Length: N", an empty line, N bytes. What comes may be anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearth::metadata::lsp {

constexpr std::size_t k_longest_message = 16U << 20U;

struct Message {
  std::string body;
  bool passed_over = false;  ///< it was too long: nobody has its body
};

class MessageReader {
 public:
  void add(std::string_view bytes) { buffer_.append(bytes); }
  /// The next whole message. Throws Error for what is no frame: nobody can tell where the next one begins.
  [[nodiscard]] std::optional<Message> next();

 private:
  [[nodiscard]] std::optional<std::uint64_t> take_header();

  std::string buffer_;
  std::optional<std::uint64_t> length_;  ///< of the body that is awaited; what is passed over is taken off
  bool passing_over_ = false;
};

/// A message with its header in front.
[[nodiscard]] std::string framed(std::string_view body);

}  // namespace hearth::metadata::lsp
