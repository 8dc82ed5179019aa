// What a plain scalar of YAML 1.1 is, by its text, as PyYAML's safe loader resolves it: 0755 is octal, yes and on are
// true, 1:30 counts in sixties, ~ is null. Timestamps stay text, as Heat keeps them (so that an unquoted
// heat_template_version works).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace hearth {

/// Its decimal digits, with a minus sign where it has one: it may be of any size.
struct YamlInteger {
  std::string digits;
};

/// Null, a truth value, a number, or a text.
using YamlScalar = std::variant<std::monostate, bool, YamlInteger, double, std::string>;

[[nodiscard]] YamlScalar resolve_yaml_scalar(std::string_view text);
/// Whether that is a text.
[[nodiscard]] bool is_yaml_text(std::string_view text);
/// As an explicit tag has it, such as "int" of "tag:yaml.org,2002:int"; nothing when the text is not of that type.
[[nodiscard]] std::optional<YamlScalar> resolve_yaml_scalar(std::string_view text, std::string_view type);

}  // namespace hearth
