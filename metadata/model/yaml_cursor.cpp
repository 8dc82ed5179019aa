#include "metadata/model/yaml_cursor.hpp"

#include "base/check.hpp"

namespace hearth::metadata::yaml {

void Cursor::skip(std::size_t count) {
  for (; count > 0 && !at_end(); --count) {
    const auto byte = static_cast<unsigned char>(text_[place_.offset++]);
    if ((byte & 0xc0U) != 0x80U) ++place_.column;  // continuation bytes belong to the character before
  }
}

std::string Cursor::take_break() {
  std::string meaning = "\n";
  std::size_t length = 1;
  if (starts_with("\r\n")) {
    length = 2;
  } else if (const std::size_t wide = wide_break(0); wide != 0) {
    length = wide;
    if (wide == 3) meaning = text_.substr(place_.offset, 3);
  }
  hearth::check(length <= text_.size() - place_.offset, "a line break that is taken is there", "offset", place_.offset);
  place_.offset += length;
  ++place_.line;
  place_.column = 1;
  return meaning;
}

void Cursor::fail(const Place& at, std::string what) const {
  throw Stop{{std::string(source_), {at.line, at.column}, std::move(what)}};
}

}  // namespace hearth::metadata::yaml
