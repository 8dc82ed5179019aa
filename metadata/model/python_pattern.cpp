#include "metadata/model/python_pattern.hpp"

namespace hearth::metadata {

std::string perl_pattern(std::string_view python) {
  std::string out;
  while (!python.empty()) {
    std::size_t taken = 1;
    if (python.front() == '\\' && python.size() > 1) {
      taken = 2;
      out += python[1] == 'Z' ? "\\z" : python.substr(0, 2);
    } else if (python.substr(0, 4) == "(?P<") {
      taken = 4;
      out += "(?<";
    } else if (python.substr(0, 4) == "(?P=" && python.find(')') != std::string_view::npos) {
      taken = python.find(')') + 1;
      out += "\\k{" + std::string(python.substr(4, taken - 5)) + "}";
    } else {
      out.push_back(python.front());
    }
    python.remove_prefix(taken);
  }
  return out;
}

}  // namespace hearth::metadata
