// A time that an option has, for people: "90", "90s", "5m", "2h".
#pragma once

#include <cstdint>
#include <string>

#include "base/cli/options.hpp"

namespace hearth::cli {

/// In seconds; `usual` where the option is not given. Throws Error(usage) for anything else, and for none or too many.
[[nodiscard]] std::uint64_t seconds(const Arguments& arguments, const std::string& option, std::uint64_t usual);

}  // namespace hearth::cli
