// All that is wrong in what is read together: a person is told it at once.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/text.hpp"

namespace hearth::builder {

/// In its order; as an outcome at least one.
struct ParseFaults {
  std::vector<ParseError> all;

  void add(const ParseFaults& others) { all.insert(all.end(), others.all.begin(), others.all.end()); }
  /// A line each.
  [[nodiscard]] std::string text() const {
    std::vector<std::string> lines;
    for (const ParseError& fault : all) lines.push_back(fault.text());
    return join(lines, "\n");
  }
  [[nodiscard]] Error to_error() const { return Error(ErrorKind::input, text()); }
};

}  // namespace hearth::builder
