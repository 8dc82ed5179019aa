#include "bootstrap/node/root_hints.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::array<std::string_view, 12> k_hints = {
    "size",   "serial",     "wwn", "wwn_with_extension", "wwn_vendor_extension", "name", "by_path", "hctl", "model",
    "vendor", "rotational", "tran"};
/// Behind these stands a text, or several.
constexpr std::array<std::string_view, 10> k_of_texts = {"s==", "s!=",  "s<=",      "s>=",        "s<",
                                                         "s>",  "<in>", "<all-in>", "<range-in>", "<or>"};
/// Behind these a number; longer ones come before those that they begin with.
constexpr std::array<std::string_view, 7> k_of_numbers = {"==", "!=", ">=", "<=", "=", "<", ">"};
constexpr std::array<std::string_view, 12> k_truths = {"true", "false", "1", "0", "yes", "no",
                                                       "on",   "off",   "t", "f", "y",   "n"};

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::string_view beginning_among(std::string_view text, const auto& words) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](std::string_view word) { return text.starts_with(word); });
  return found == words.end() ? std::string_view{} : *found;
}

std::string value_fault(const std::string& key, const Json& value) {
  if (value.is_boolean() || value.is_number()) return "";
  if (!value.is_string()) return "is to be a text or a number";
  const std::string text = to_lower(trim(value.get<std::string>()));
  if (text.empty()) return "is empty";
  if (key == "rotational" && std::find(k_truths.begin(), k_truths.end(), text) == k_truths.end())
    return cat("'", text, "' is neither true nor false");
  if (!beginning_among(text, k_of_texts).empty()) return "";
  const std::string_view sign = beginning_among(text, k_of_numbers);
  if (sign.empty() && key != "size") return "";
  if (is_number(trim(std::string_view(text).substr(sign.size())))) return "";
  return key == "size" ? cat("'", text, "' is no size: a number of GiB without a unit, alone or behind one of ",
                             "== != >= <= < > (\">= 200\")")
                       : cat("'", text, "': behind ", sign, " a number is expected; texts are compared by s==");
}

}  // namespace

std::vector<std::string> root_hint_names() { return {k_hints.begin(), k_hints.end()}; }

std::vector<std::pair<std::string, std::string>> root_hint_faults(const Json& hints) {
  if (!hints.is_object()) return {{"", "is to be an object of hints, such as {\"serial\": \"…\"}"}};
  std::vector<std::pair<std::string, std::string>> faults;
  for (const auto& [key, value] : hints.items()) {
    const std::vector<std::string> known(k_hints.begin(), k_hints.end());
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::optional<std::string> near = nearest(key, known);
      faults.emplace_back(
          key, near ? cat("is no hint (do you mean ", *near, "?)") : cat("is no hint: there are ", join(known, ", ")));
    } else if (const std::string fault = value_fault(key, value); !fault.empty()) {
      faults.emplace_back(key, fault);
    }
  }
  return faults;
}

std::vector<std::string> root_device_faults(const Json& properties) {
  const auto hints = properties.is_object() ? properties.find("root_device") : properties.end();
  if (!properties.is_object() || hints == properties.end() || hints->is_null()) return {};
  std::vector<std::string> lines;
  for (const auto& [key, fault] : root_hint_faults(*hints))
    lines.push_back(cat("root_device", key.empty() ? "" : ".", key, " ", fault));
  return lines;
}

}  // namespace hearth::bootstrap
