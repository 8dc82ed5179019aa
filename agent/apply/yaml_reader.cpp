#include "agent/apply/yaml_reader.hpp"

#include <yaml-cpp/yaml.h>

#include <charconv>

#include "base/python_json.hpp"
#include "base/yaml_scalar.hpp"

namespace hearth::agent {

namespace {

constexpr int k_max_depth = 200;
constexpr int k_max_values = 200'000;  ///< aliases of aliases make much of little

Json integer_of(std::string_view digits) {
  const char* const end = digits.data() + digits.size();
  std::int64_t number = 0;
  if (std::from_chars(digits.data(), end, number).ec == std::errc()) return number;
  std::uint64_t large = 0;
  if (std::from_chars(digits.data(), end, large).ec == std::errc()) return large;
  return make_big_integer(digits);
}

Json plain_scalar(std::string_view text) {
  YamlScalar scalar = resolve_yaml_scalar(text);
  if (const auto* truth = std::get_if<bool>(&scalar)) return *truth;
  if (const auto* integer = std::get_if<YamlInteger>(&scalar)) return integer_of(integer->digits);
  if (const auto* number = std::get_if<double>(&scalar)) return *number;
  if (auto* word = std::get_if<std::string>(&scalar)) return std::move(*word);
  return nullptr;
}

bool is_quoted(const YAML::Node& node) { return node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str"; }

Json scalar_of(const YAML::Node& node) { return is_quoted(node) ? Json(node.Scalar()) : plain_scalar(node.Scalar()); }

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
