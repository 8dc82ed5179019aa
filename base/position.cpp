#include "base/position.hpp"

namespace hearth {

Position position_in(std::string_view text, std::size_t offset) {
  Position at{1, 1};
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++at.line;
      at.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) {  // continuation bytes belong to the same character
      ++at.column;
    }
  }
  return at;
}

}  // namespace hearth
