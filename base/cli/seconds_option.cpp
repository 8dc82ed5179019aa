#include "base/cli/seconds_option.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::cli {

std::uint64_t seconds(const Arguments& arguments, const std::string& option, std::uint64_t usual) {
  static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 6> k_time_units = {
      {{"s", 1}, {"sec", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
  const std::string given = arguments.value_or(option, "");
  const std::size_t digits = std::min(given.find_first_not_of("0123456789"), given.size());
  Arguments plain = arguments;
  for (const auto& [unit, factor] : k_time_units) {
    const std::optional<std::uint64_t> count = parse_number(given.substr(0, digits));
    if (digits < given.size() && trim(given.substr(digits)) == unit && count && *count <= NumberRange{}.most)
      plain.add(option, std::to_string(*count * factor));
  }
  try {
    return number(plain, option, usual, {}, " of seconds");
  } catch (Error& error) {
    throw error.hint("With a unit: 90s, 5m, 2h.");
  }
}

}  // namespace hearth::cli
