// Parameters of a query or a form (application/x-www-form-urlencoded), in their order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth {

using Parameters = std::vector<std::pair<std::string, std::string>>;

/// "+" is a blank, %XX a byte; a parameter without "=" has an empty value. More than 200 parameters are cut off.
[[nodiscard]] Parameters parse_parameters(std::string_view text);
/// The first of that name.
[[nodiscard]] std::optional<std::string> find_parameter(const Parameters& parameters, std::string_view name);
[[nodiscard]] std::string parameter_or(const Parameters& parameters, std::string_view name, std::string fallback);

}  // namespace hearth
