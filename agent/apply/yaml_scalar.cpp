#include "agent/apply/yaml_scalar.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr int k_max_depth = 200;
constexpr int k_max_values = 200'000;  ///< aliases of aliases make much of little

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::optional<bool> boolean_of(std::string_view text) {
  if (is_one_of(text, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) return true;
  if (is_one_of(text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) return false;
  return std::nullopt;
}

bool all_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

std::string without_underscores(std::string_view text) { return replace_all(std::string(text), "_", ""); }

constexpr std::string_view k_yaml_scalar_digits = "0123456789";

Json signed_number(std::string_view digits, int base, bool negative) {
  std::uint64_t number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (result.ec != std::errc() && base == 10) return make_big_integer(cat(negative ? "-" : "", digits));
  if (result.ec != std::errc()) return std::numeric_limits<double>::infinity();
  if (!negative) return number;
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return make_big_integer(cat("-", digits));
  }
  return -static_cast<std::int64_t>(number);
}

/// 1:30 and 190:20:30: every part after the first is below 60.
std::optional<Json> sexagesimal_of(std::string_view text, bool negative) {
  std::int64_t total = 0;
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts[0].empty() || parts[0][0] == '0' || parts.size() > 6) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<std::uint64_t> part = parse_number(parts[i]);
    if (!part || *part > 1'000'000 || (i > 0 && (*part > 59 || parts[i].size() > 2))) return std::nullopt;
    total = total * 60 + static_cast<std::int64_t>(*part);
  }
  return Json(negative ? -total : total);
}

std::optional<Json> integer_of(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty() || k_yaml_scalar_digits.find(text.front()) == std::string_view::npos) return std::nullopt;
  const std::string digits = without_underscores(text);
  const std::string_view rest = std::string_view(digits).substr(std::min<std::size_t>(2, digits.size()));
  if (digits.compare(0, 2, "0b") == 0 && all_of(rest, "01")) return signed_number(rest, 2, negative);
  if (digits.compare(0, 2, "0x") == 0 && all_of(rest, "0123456789abcdefABCDEF"))
    return signed_number(rest, 16, negative);
  if (digits == "0") return Json(0);
  if (digits[0] == '0' && all_of(digits, "01234567")) return signed_number(digits, 8, negative);
  if (digits[0] != '0' && all_of(digits, k_yaml_scalar_digits)) return signed_number(digits, 10, negative);
  return sexagesimal_of(digits, negative);
}

/// [-+]?D[D_]*.[D_]*([eE][-+]D+)? or .D…; without a dot, or with an exponent that has no sign, it is text.
bool has_float_form(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view whole = text.substr(0, dot);
  std::string_view rest = text.substr(dot + 1);
  const std::size_t mark = rest.find_first_of("eE");
  if (mark != std::string_view::npos) {
    const std::string_view exponent = rest.substr(mark + 1);
    if (exponent.size() < 2 || (exponent[0] != '+' && exponent[0] != '-') ||
        !all_of(exponent.substr(1), k_yaml_scalar_digits))
      return false;
    rest = rest.substr(0, mark);
  }
  if (whole.empty()) return all_of(rest, "0123456789_") && rest.front() != '_';
  return all_of(whole, "0123456789_") && whole.front() != '_' && (rest.empty() || all_of(rest, "0123456789_"));
}

std::optional<Json> float_of(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const double infinity = std::numeric_limits<double>::infinity();
  if (is_one_of(text, {".inf", ".Inf", ".INF"})) return Json(negative ? -infinity : infinity);
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return Json(std::numeric_limits<double>::quiet_NaN());
  if (!has_float_form(text)) return std::nullopt;
  const std::string digits = cat("0", without_underscores(text));
  const double number = std::strtod(digits.c_str(), nullptr);
  return Json(negative ? -number : number);
}

bool is_quoted(const YAML::Node& node) { return node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str"; }

Json scalar_of(const YAML::Node& node) {
  return is_quoted(node) ? Json(node.Scalar()) : resolve_plain_scalar(node.Scalar());
}

/// How far a conversion has come: `left` counts the values that may still be made.
struct Progress {
  int& left;
  int depth = 0;
  [[nodiscard]] Progress deeper() const { return {left, depth + 1}; }
};

Json value_of(const YAML::Node& node, Progress progress);

/// "<<": the merged maps' keys come in where the map itself has none.
void merge_keys(Json& object, const Json& merged) {
  if (merged.is_array()) {
    for (const Json& one : merged) merge_keys(object, one);
  } else if (merged.is_object()) {
    for (const auto& [key, value] : merged.items()) {
      if (!object.contains(key)) object[key] = value;
    }
  }
}

Json map_of(const YAML::Node& node, Progress progress) {
  Json object = Json::object();
  Json merged;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) throw YAML::ParserException(entry.first.Mark(), "a key must be a scalar");
    const bool is_merge = entry.first.Scalar() == "<<" && !is_quoted(entry.first);
    Json value = value_of(entry.second, progress.deeper());
    if (is_merge) {
      merged = std::move(value);
    } else {
      const Json key = scalar_of(entry.first);
      object[key.is_string() ? key.get<std::string>() : python_text(key)] = std::move(value);
    }
  }
  merge_keys(object, merged);
  return object;
}

Json value_of(const YAML::Node& node, Progress progress) {
  if (--progress.left < 0) throw YAML::ParserException(node.Mark(), "too many values");
  if (progress.depth > k_max_depth) throw YAML::ParserException(node.Mark(), "nested too deep");
  switch (node.Type()) {
    case YAML::NodeType::Scalar: return scalar_of(node);
    case YAML::NodeType::Map: return map_of(node, progress);
    case YAML::NodeType::Sequence: {
      Json array = Json::array();
      for (const YAML::Node& element : node) array.push_back(value_of(element, progress.deeper()));
      return array;
    }
    default: return nullptr;
  }
}

}  // namespace

Json resolve_plain_scalar(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (const std::optional<bool> boolean = boolean_of(text)) return *boolean;
  if (std::optional<Json> integer = integer_of(text)) return std::move(*integer);
  if (std::optional<Json> number = float_of(text)) return std::move(*number);
  return std::string(text);
}

Result<Json> parse_yaml11(const std::string& text, std::string_view source) {
  try {
    int left = k_max_values;
    return value_of(YAML::Load(text), {left});
  } catch (const YAML::Exception& error) {
    const bool known = !error.mark.is_null();
    return ParseError{std::string(source), known ? Position{error.mark.line + 1, error.mark.column + 1} : Position{},
                      error.msg};
  }
}

}  // namespace hearth::agent
