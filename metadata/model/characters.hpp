// The characters of a text in UTF-8, as Python takes it apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::metadata {

[[nodiscard]] inline std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> found;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) found.emplace_back();
    if (!found.empty()) found.back().push_back(c);
  }
  return found;
}

}  // namespace hearth::metadata
