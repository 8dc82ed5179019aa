// The proxy's answers as text: a stored object, whole or in part, as RFC 9110 has it (ranges section 14, conditional
// requests section 13). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "builder/fetch/lock_file.hpp"

namespace hearth::builder::fetch {

/// What goes out: a head, and a part of the object.
struct Answer {
  std::string head;  ///< status line and fields, with the empty line
  std::uint64_t first = 0;
  std::uint64_t size = 0;  ///< 0 = no body
};

/// `method` GET, HEAD or POST; `asked` the request's fields. A range is honoured where the object is a 200.
[[nodiscard]] Answer answer_with(const Fetched& fetched, std::string_view method, const HttpHeaders& asked);

/// An answer that passes while its body is still coming.
[[nodiscard]] std::string passing_head(int status, const HttpHeaders& headers, std::uint64_t size);

/// An answer of the proxy's own, with `text` as its body.
[[nodiscard]] std::string own_answer(int status, std::string_view text);

/// Only some bytes are wanted, or only if something changed: the object must be whole before it can be answered.
[[nodiscard]] bool wants_part(const HttpHeaders& asked);

}  // namespace hearth::builder::fetch
