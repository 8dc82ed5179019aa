// A document as an editor has it: its text, and places in it as the Language Server Protocol counts them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::metadata::lsp {

/// Line and UTF-16 code unit, from 0 (LSP 3.17, "Position").
struct Spot {
  std::size_t line = 0;
  std::size_t unit = 0;
  bool operator==(const Spot&) const = default;
};

struct Stretch {
  Spot begin;
  Spot end;
  bool operator==(const Stretch&) const = default;
};

class TextDocument {
 public:
  explicit TextDocument(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The byte; behind the end of a line that is the line's end, behind the last line the end of the text.
  [[nodiscard]] std::size_t offset_of(const Spot& spot) const;
  /// The place of a byte; within a character, of the character.
  [[nodiscard]] Spot spot_of(std::size_t offset) const;
  [[nodiscard]] Stretch stretch_of(std::size_t begin, std::size_t end) const { return {spot_of(begin), spot_of(end)}; }
  void replace(const Stretch& stretch, std::string_view with);
  /// The text with nothing in the line of a byte.
  [[nodiscard]] std::string without_line_of(std::size_t offset) const;

 private:
  void find_lines();

  std::string text_;
  std::vector<std::size_t> lines_;  ///< where they begin; at least one
};

/// Where the marks of our readers are in a text: they count characters from 1, and lines as YAML breaks them. Quick for
/// marks in their order.
class MarkedText {
 public:
  explicit MarkedText(std::string_view text) : text_(text) {}
  [[nodiscard]] std::size_t offset_of(std::size_t line, std::size_t column);

 private:
  std::string_view text_;
  std::size_t line_ = 1;
  std::size_t begin_ = 0;  ///< of that line
};

}  // namespace hearth::metadata::lsp
