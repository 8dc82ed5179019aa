#include "builder/fetch/variants.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

/// What a server is told besides what every key holds: no other field reaches it.
constexpr std::array<const char*, 2> k_fields = {"accept-language", "user-agent"};

}  // namespace

std::string varied_values(const std::string& vary, const HttpHeaders& asked) {
  std::vector<std::string> names = split(to_lower(vary), ',');
  for (std::string& name : names) name = std::string(trim(name));
  const auto is_named = [&](const char* field) {
    return std::any_of(names.begin(), names.end(), [&](const auto& name) { return name == field || name == "*"; });
  };
  std::vector<std::string> values;
  for (const char* field : k_fields) {
    if (is_named(field)) values.push_back(cat(field, "=", percent_encode(find_header(asked, field).value_or(""))));
  }
  return join(values, "&");
}

std::string values_like(const std::string& word, const HttpHeaders& asked) {
  std::vector<std::string> names = split(word, '&');
  for (std::string& name : names) name = name.substr(0, name.find('='));
  return varied_values(join(names, ","), asked);
}

}  // namespace hearth::builder::fetch
