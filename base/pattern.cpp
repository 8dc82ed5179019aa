#include "base/pattern.hpp"

#include <regex>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

struct Pattern::Compiled {
  std::regex regex;
};

Pattern::Pattern(const std::string& text) {
  try {
    compiled_ = std::make_shared<Compiled>(Compiled{std::regex(text)});
  } catch (const std::regex_error& error) {
    throw Error(ErrorKind::usage, cat("not a regular expression: ", text, " (", error.what(), ")"));
  }
}

std::optional<Pattern::Place> Pattern::find(const std::string& text, std::size_t from) const {
  std::smatch found;
  const auto begin = text.cbegin() + static_cast<std::ptrdiff_t>(from);
  if (!std::regex_search(begin, text.cend(), found, compiled_->regex)) return std::nullopt;
  const std::size_t at = from + static_cast<std::size_t>(found.position(0));
  return Place{at, at + static_cast<std::size_t>(found.length(0))};
}

bool Pattern::matches_all_of(const std::string& text) const { return std::regex_match(text, compiled_->regex); }

std::string Pattern::without(const std::string& text) const { return std::regex_replace(text, compiled_->regex, ""); }

}  // namespace hearth
