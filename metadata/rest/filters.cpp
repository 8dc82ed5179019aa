#include "metadata/rest/filters.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/engine/engine.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::uint64_t k_largest = 9'223'372'036'854'775'807;  ///< as a database takes it

bool matches(const std::string& name, const std::string& field, const std::string& wanted) {
  if (field == wanted) return true;
  if (name.size() < 6 || name.compare(name.size() - 6, 6, "status") != 0) return false;
  const std::string end = cat("_", wanted);
  return field.size() > end.size() && field.compare(field.size() - end.size(), end.size(), end) == 0;
}

std::vector<std::string> names_in(const Parameters& parameters, const std::string& dashed) {
  const std::string text =
      parameter_or(parameters, dashed, parameter_or(parameters, replace_all(dashed, "-", "_"), ""));
  return text.empty() ? std::vector<std::string>{} : split(text, ',');
}

std::string sort_text(const Json& entry, const std::string& key) {
  for (const std::string& name : {key, cat("stack_", key)}) {
    const auto found = entry.find(name);
    if (found != entry.end() && found->is_string()) return found->get<std::string>();
  }
  return "";
}

}  // namespace

bool passes(const Parameters& parameters, const Fields& fields) {
  return std::all_of(fields.begin(), fields.end(), [&](const auto& field) {
    bool asked = false;
    bool found = false;
    for (const auto& [name, value] : parameters) {
      if (name != field.first) continue;
      asked = true;
      found = found || matches(name, field.second, value);
    }
    return !asked || found;
  });
}

bool passes_tags(const Parameters& parameters, const Json& tags) {
  const auto has = [&](const std::string& tag) { return std::find(tags.begin(), tags.end(), tag) != tags.end(); };
  const auto all = names_in(parameters, "tags");
  const auto any = names_in(parameters, "tags-any");
  const auto not_all = names_in(parameters, "not-tags");
  const auto none = names_in(parameters, "not-tags-any");
  return std::all_of(all.begin(), all.end(), has) && (any.empty() || std::any_of(any.begin(), any.end(), has)) &&
         (not_all.empty() || !std::all_of(not_all.begin(), not_all.end(), has)) &&
         std::none_of(none.begin(), none.end(), has);
}

std::uint64_t number_of(const Parameters& parameters, std::string_view name) {
  const auto asked =
      std::find_if(parameters.begin(), parameters.end(), [&](const auto& each) { return each.first == name; });
  if (asked == parameters.end()) return 0;
  const std::string& text = asked->second;
  const bool is_negative = text.starts_with('-');
  const std::string digits = text.substr(is_negative ? 1 : 0);
  const bool is_integer = !digits.empty() &&
                          std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
                          (digits[0] != '0' || text == "0");
  if (!is_integer) throw EngineError("HTTPBadRequest", cat("Only integer is acceptable by '", name, "'."));
  const std::optional<std::uint64_t> number = parse_number(digits);
  if (is_negative || !number || *number > k_largest) {
    throw EngineError("HTTPBadRequest", cat("Value '", text, "' is invalid for '", name, "' which only accepts ",
                                            is_negative ? "non-negative integer." : "integer."));
  }
  return *number;
}

Json paged(Json list, const Parameters& parameters) {
  const std::string key = parameter_or(parameters, "sort_keys", "");
  if (!key.empty()) {
    const bool down = to_lower(parameter_or(parameters, "sort_dir", "asc")) == "desc";
    std::stable_sort(list.begin(), list.end(), [&](const Json& a, const Json& b) {
      return down ? sort_text(b, key) < sort_text(a, key) : sort_text(a, key) < sort_text(b, key);
    });
  }
  const std::string marker = parameter_or(parameters, "marker", "");
  const std::uint64_t limit = number_of(parameters, "limit");
  if (marker.empty() && limit == 0) return list;
  Json out = Json::array();
  bool skipping = !marker.empty();
  for (Json& entry : list) {
    if (!skipping && (limit == 0 || out.size() < limit)) out.push_back(entry);
    if (entry.value("id", "") == marker) skipping = false;
  }
  return out;
}

}  // namespace hearth::metadata::live
