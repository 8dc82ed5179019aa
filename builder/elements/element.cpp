#include "builder/elements/element.hpp"

#include "base/text.hpp"

namespace hearth::builder {

std::vector<std::string> parse_element_names(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string& line : split_lines(text)) {
    if (const std::string_view name = trim(line); !name.empty()) names.emplace_back(name);
  }
  return names;
}

std::optional<std::string> name_before_comment(std::string_view line) {
  const std::size_t mark = line.find('#');
  if (mark == std::string_view::npos) return std::nullopt;
  return std::string(trim(line.substr(0, mark)));
}

}  // namespace hearth::builder
