// Numbers and texts as bytes, little end first: how a layer archive writes its entries. Reading checks every length.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_order.hpp"
#include "base/error.hpp"

namespace hearth::builder::wire {

template <std::unsigned_integral N>
void put(std::string& out, N value) {
  append_le(out, value);
}

inline void put_text(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

/// Takes values off the front of `bytes`; throws Error(input) when they end too soon.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  template <std::unsigned_integral N>
  [[nodiscard]] N number() {
    return get_le<N>(take(sizeof(N)), 0);
  }

  [[nodiscard]] std::string_view text() { return take(number<std::uint32_t>()); }

  [[nodiscard]] std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw Error(ErrorKind::input, "the layer archive is cut short");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace hearth::builder::wire
