// Regular expressions, written as in ECMAScript. What they look at may be anybody's: a search takes no stack and ends
// after a second or two. PCRE2 runs them.
// Source: pcre2pattern(3), pcre2callout(3).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace hearth {

class Pattern {
 public:
  /// Throws Error(usage) for what is no regular expression.
  explicit Pattern(const std::string& text);

  /// Searches throw Error(input) where one takes too long: "(a+)+b" has more ways than anybody can wait for.
  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  /// The first place at or behind `from` that matches.
  [[nodiscard]] std::optional<Place> find(const std::string& text, std::size_t from = 0) const;
  [[nodiscard]] bool matches_all_of(const std::string& text) const;
  /// The text without what matches.
  [[nodiscard]] std::string without(const std::string& text) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace hearth
