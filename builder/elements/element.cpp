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

}  // namespace hearth::builder
