// What a variable of an environment says. Beside environment.hpp, which every unit reads.
#pragma once

#include <string>
#include <string_view>

#include "base/environment.hpp"

namespace hearth {

/// The variable's value; `fallback` where it is not set. One that is set to nothing is set.
[[nodiscard]] inline std::string variable(const Environment& environment, const std::string& name,
                                          std::string_view fallback = "") {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string(fallback) : found->second;
}

}  // namespace hearth
