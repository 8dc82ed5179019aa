// A place in YAML text, with line and column in characters, and what the scanner asks of the characters around it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hearth::metadata::yaml {

struct Place {
  std::size_t offset = 0;
  int line = 1;
  int column = 1;
};

class Cursor {
 public:
  explicit Cursor(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] int column() const { return place_.column - 1; }  ///< from 0, as indentation counts
  /// The character `ahead` of here; NUL at the end.
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return place_.offset + ahead < text_.size() ? text_[place_.offset + ahead] : '\0';
  }
  [[nodiscard]] bool at_end() const { return place_.offset >= text_.size(); }
  [[nodiscard]] bool is_break(std::size_t ahead = 0) const {
    const char c = peek(ahead);
    return c == '\n' || c == '\r' || wide_break(ahead) != 0;
  }
  [[nodiscard]] bool is_blank(std::size_t ahead = 0) const { return peek(ahead) == ' ' || peek(ahead) == '\t'; }
  [[nodiscard]] bool is_end(std::size_t ahead = 0) const { return place_.offset + ahead >= text_.size(); }
  [[nodiscard]] bool is_space(std::size_t ahead = 0) const {
    return is_blank(ahead) || is_break(ahead) || is_end(ahead);
  }
  [[nodiscard]] bool starts_with(std::string_view what) const {
    return text_.substr(place_.offset, what.size()) == what;
  }
  /// "---" or "..." alone at the beginning of a line.
  [[nodiscard]] bool at_document_mark() const {
    return column() == 0 && (starts_with("---") || starts_with("...")) && is_space(3);
  }
  void skip(std::size_t count = 1);
  /// Takes a line break, gives what it means: "\n", or the wide breaks as they are.
  std::string take_break();
  [[nodiscard]] std::string_view since(const Place& begin) const {
    return text_.substr(begin.offset, place_.offset - begin.offset);
  }
  [[noreturn]] void fail(const Place& at, std::string what) const;
  [[noreturn]] void fail(std::string what) const { fail(place_, std::move(what)); }

 private:
  /// NEL, LS and PS: the length of their UTF-8 form.
  [[nodiscard]] std::size_t wide_break(std::size_t ahead) const {
    const std::string_view rest = text_.substr(std::min(text_.size(), place_.offset + ahead), 3);
    if (rest.substr(0, 2) == "\xc2\x85") return 2;
    return rest == "\xe2\x80\xa8" || rest == "\xe2\x80\xa9" ? 3 : 0;
  }

  std::string_view text_;
  std::string_view source_;
  Place place_;
};

/// How the rooms of the reader leave it; caught at its door.
struct Stop {
  ParseError error;
};

}  // namespace hearth::metadata::yaml
