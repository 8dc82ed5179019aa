#include "base/foreign_json.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_deepest_foreign = 256;

/// The library's name of a kind of value, in ours.
std::string kind_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> k_kinds = {
      {{"string", "a text"},
       {"object", "a map"},
       {"array", "a list"},
       {"number", "a number"},
       {"boolean", "true or false"},
       {"null", "null"}}};
  for (const auto& [kind, words] : k_kinds) {
    if (kind == name) return std::string(words);
  }
  return "something else";
}

std::string_view last_word(std::string_view text) { return text.substr(text.rfind(' ') + 1); }

/// "type must be string, but is number".
std::string other_kind(std::string_view what) {
  static constexpr std::string_view k_wanted = "type must be ";
  const std::size_t begin = what.find(k_wanted);
  if (begin == std::string_view::npos) return "a value is of another kind than is expected";
  const std::string_view rest = what.substr(begin + k_wanted.size());
  return cat("there is ", kind_of(last_word(what)), " where ", kind_of(rest.substr(0, rest.find(','))), " is expected");
}

/// "key 'name' not found".
std::string missing(std::string_view what) {
  const std::size_t begin = what.find('\'');
  const std::size_t end = what.rfind('\'');
  if (begin == end) return "something is missing";
  return cat("\"", what.substr(begin + 1, end - begin - 1), "\" is missing");
}

}  // namespace

Result<Json> parse_foreign_json(std::string_view text, std::string_view source) {
  return parse_json(text, source, k_deepest_foreign);
}

bool is_deeper_than(const Json& value, std::size_t levels) {
  std::vector<std::pair<const Json*, std::size_t>> ahead = {{&value, 1}};
  while (!ahead.empty()) {
    const auto [each, level] = ahead.back();
    ahead.pop_back();
    if (!each->is_structured()) continue;
    if (level > levels) return true;
    for (const Json& inner : *each) {
      if (inner.is_structured()) ahead.emplace_back(&inner, level + 1);
    }
  }
  return false;
}

std::string json_fault(const Json::exception& error) {
  switch (error.id) {
    case 302: return other_kind(error.what());
    case 304:  // at(), [] and value() of what has no members
    case 305:
    case 306: return cat("there is ", kind_of(last_word(error.what())), " where a map is expected");
    case 316: return "a text is not UTF-8";
    case 403: return missing(error.what());
    default: return "a value is of another kind than is expected";
  }
}

}  // namespace hearth
