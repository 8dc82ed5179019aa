#include "base/net/query.hpp"

#include <algorithm>

#include "base/net/url.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_most_parameters = 200;

std::string form_decode(std::string_view text) {
  if (text.find('+') == std::string_view::npos) return percent_decode(text);
  std::string blanks(text);
  std::replace(blanks.begin(), blanks.end(), '+', ' ');
  return percent_decode(blanks);
}

}  // namespace

Parameters parse_parameters(std::string_view text) {
  Parameters parameters;
  for (const std::string& part : split(text, '&')) {
    if (part.empty()) continue;
    if (parameters.size() == k_most_parameters) break;
    const std::size_t equals = part.find('=');
    const std::string_view value =
        equals == std::string::npos ? std::string_view{} : std::string_view(part).substr(equals + 1);
    parameters.emplace_back(form_decode(std::string_view(part).substr(0, equals)), form_decode(value));
  }
  return parameters;
}

std::optional<std::string> find_parameter(const Parameters& parameters, std::string_view name) {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::string parameter_or(const Parameters& parameters, std::string_view name, std::string fallback) {
  std::optional<std::string> found = find_parameter(parameters, name);
  return found ? std::move(*found) : std::move(fallback);
}

}  // namespace hearth
