#include "metadata/lsp/message_reader.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::metadata::lsp {

namespace {

constexpr std::size_t k_longest_header = 4096;
constexpr std::uint64_t k_longest_passed_over = 1ULL << 32U;

Error no_frame(const std::string& what) {
  return Error(ErrorKind::input,
               cat("what comes on standard input is no message of the Language Server Protocol: ", what))
      .hint("An editor starts this command; see `hearth help editors`.");
}

}  // namespace

std::optional<std::uint64_t> MessageReader::take_header() {
  const std::size_t end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (buffer_.size() > k_longest_header) throw no_frame(cat("no header within ", k_longest_header, " bytes"));
    if (!buffer_.empty() && to_lower(buffer_.substr(0, 8)) != std::string("content-").substr(0, buffer_.size()))
      throw no_frame("it begins with no Content-Length");
    return std::nullopt;
  }
  if (end > k_longest_header) throw no_frame("its header is too long");
  std::optional<std::uint64_t> length;
  for (const std::string& line : split(buffer_.substr(0, end), '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || to_lower(trim(line.substr(0, colon))) != "content-length") continue;
    length = parse_number(trim(std::string_view(line).substr(colon + 1)));
    if (!length || *length > k_longest_passed_over)
      throw no_frame(cat("its Content-Length is", line.substr(colon + 1)));
  }
  if (!length) throw no_frame("its header has no Content-Length");
  buffer_.erase(0, end + 4);
  return length;
}

std::optional<Message> MessageReader::next() {
  if (!length_) length_ = take_header();
  if (!length_) return std::nullopt;
  if (*length_ > k_longest_message) {
    const std::uint64_t dropped = std::min<std::uint64_t>(buffer_.size(), *length_ - k_longest_message);
    buffer_.erase(0, dropped);
    *length_ -= dropped;
    if (*length_ > k_longest_message) return std::nullopt;
    passing_over_ = true;
  }
  if (buffer_.size() < *length_) return std::nullopt;
  Message message{.body = passing_over_ ? "" : buffer_.substr(0, *length_), .passed_over = passing_over_};
  buffer_.erase(0, *length_);
  length_.reset();
  passing_over_ = false;
  return message;
}

std::string framed(std::string_view body) { return cat("Content-Length: ", body.size(), "\r\n\r\n", body); }

}  // namespace hearth::metadata::lsp
