#include "metadata/lsp/text_document.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "metadata/model/yaml_cursor.hpp"

namespace hearth::metadata::lsp {

TextDocument::TextDocument(std::string text) : text_(std::move(text)) { find_lines(); }

void TextDocument::find_lines() {
  lines_ = {0};
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool end = text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'));
    if (end) lines_.push_back(i + 1);
  }
}

std::size_t TextDocument::offset_of(const Spot& spot) const {
  if (spot.line >= lines_.size()) return text_.size();
  std::size_t offset = lines_[spot.line];
  for (std::size_t units = 0; units < spot.unit && offset < text_.size();) {
    if (text_[offset] == '\n' || text_[offset] == '\r') break;
    const DecodedCharacter next = decode_utf8(std::string_view(text_).substr(offset, 4));
    units += next.value > 0xffff ? 2 : 1;
    if (units > spot.unit) break;  // in the midst of a pair
    offset += next.length;
  }
  return offset;
}

Spot TextDocument::spot_of(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next_line = std::upper_bound(lines_.begin(), lines_.end(), offset);
  Spot spot{static_cast<std::size_t>(next_line - lines_.begin()) - 1, 0};
  for (std::size_t at = lines_[spot.line]; at < offset;) {
    const DecodedCharacter next = decode_utf8(std::string_view(text_).substr(at, 4));
    at += next.length;
    if (at > offset) break;
    spot.unit += next.value > 0xffff ? 2 : 1;
  }
  return spot;
}

void TextDocument::replace(const Stretch& stretch, std::string_view with) {
  const std::size_t begin = offset_of(stretch.begin);
  const std::size_t end = std::max(begin, offset_of(stretch.end));
  text_.replace(begin, end - begin, with);
  find_lines();
}

std::string TextDocument::without_line_of(std::size_t offset) const {
  const std::size_t begin = lines_[spot_of(offset).line];
  const std::size_t end = std::min(text_.find_first_of("\r\n", begin), text_.size());
  return text_.substr(0, begin) + text_.substr(end);
}

std::size_t MarkedText::offset_of(std::size_t line, std::size_t column) {
  if (line < line_) {
    line_ = 1;
    begin_ = 0;
  }
  yaml::Cursor cursor(text_.substr(begin_), "");
  while (line_ < line && !cursor.at_end()) {
    if (!cursor.is_break()) {
      cursor.skip();
      continue;
    }
    (void)cursor.take_break();
    ++line_;
    begin_ += cursor.place().offset;
    cursor = yaml::Cursor(text_.substr(begin_), "");
  }
  for (std::size_t at = 1; at < column && !cursor.is_break() && !cursor.at_end(); ++at) {
    const DecodedCharacter next = decode_utf8(text_.substr(begin_ + cursor.place().offset, 4));
    cursor.skip(next.length);
  }
  return begin_ + cursor.place().offset;
}

}  // namespace hearth::metadata::lsp
