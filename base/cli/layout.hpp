// Text for terminals: paragraphs told apart, words wrapped to a width, further lines indented.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::cli {

/// Terminal columns of a text in UTF-8 without wide characters.
[[nodiscard]] std::size_t columns(std::string_view text);

/// `text` filled up with spaces to `width` columns.
[[nodiscard]] std::string padded(std::string text, std::size_t width);

/// The columns of the terminal that `fd` is, or that COLUMNS names; 80 where neither tells. At least `least`: options
/// and what is said of them have no less.
[[nodiscard]] std::size_t terminal_width(int fd, const char* columns_variable, std::size_t least = 40);

/// Words of `text`, as many on a line as `width` has room for; `column` is where the first one stands already, all
/// further lines begin with `indent` spaces. No newline at the end. A word longer than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0,
                                  std::size_t column = 0);

/// Likewise, but no line is wider than `width`: a word that is, is broken.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);

struct Paragraph {
  std::string label;      ///< "Example", "Exit codes": what it begins with, before a colon; mostly empty
  std::string text;       ///< without the label
  bool verbatim = false;  ///< lines as they are

  bool operator==(const Paragraph&) const = default;
};

/// What help texts are written in: an empty line ends a paragraph, a line that starts with "Example:", "Exit codes:" or
/// "Exit status:" begins one; lines that start with a space stay as they are; any other end of a line is a space.
[[nodiscard]] std::vector<Paragraph> paragraphs(std::string_view text);

/// These, wrapped, with an empty line between them.
[[nodiscard]] std::string laid_out(const std::vector<Paragraph>& paragraphs, std::size_t width);

}  // namespace hearth::cli
