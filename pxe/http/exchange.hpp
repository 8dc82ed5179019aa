// HTTP/1.1 for boot clients without its sockets: a request's head in, the head of the answer and the range of the
// content out (RFC 9110, RFC 9112). GET and HEAD only; one range; validators from size and time. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/net/http.hpp"

namespace hearth::pxe::http {

struct Ask {
  std::string method;
  std::string path;  ///< decoded, without query
  HttpHeaders headers;
  bool keep_alive = true;
  int refused = 0;  ///< a status where the head itself is refused; 0 = fine
};

/// The end of the head in what has come so far ("\r\n\r\n" included); nothing when it isn't there yet.
[[nodiscard]] std::optional<std::size_t> head_end(std::string_view bytes);
[[nodiscard]] Ask parse_head(std::string_view head);

struct Part {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};
struct Plan {
  int status = 200;
  std::string head;  ///< status line and headers, up to the empty line
  Part body;         ///< of the content; size 0 = none
};

/// `modified_s` 0: computed, never cached. `now_s` is for the Date field.
[[nodiscard]] Plan plan_content(const Ask& ask, std::uint64_t size, std::int64_t modified_s, std::int64_t now_s);
/// An answer without content of its own; `text` is its body.
[[nodiscard]] std::string plain_answer(const Ask& ask, int status, std::string_view text, std::int64_t now_s);

/// The one range of a Range field (RFC 9110 section 14.1.2) in `size` bytes. Nothing: the field is to be left out of
/// account. size 0 in the result: it can't be satisfied.
[[nodiscard]] std::optional<Part> parse_range(std::string_view field, std::uint64_t size);

}  // namespace hearth::pxe::http
