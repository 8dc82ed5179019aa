#include "base/yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace hearth {

namespace {

bool all_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

/// lower, Title or UPPER case.
bool is_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size() || to_lower(text) != lower) return false;
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const std::string_view rest = text.substr(1);
  const bool rest_lower = std::none_of(rest.begin(), rest.end(), upper);
  const bool rest_upper = std::all_of(rest.begin(), rest.end(), upper);
  return rest_lower || (rest_upper && upper(text.front()));
}

std::optional<bool> yaml_truth(std::string_view text) {
  for (const std::string_view word : {"yes", "true", "on"}) {
    if (is_word(text, word)) return true;
  }
  for (const std::string_view word : {"no", "false", "off"}) {
    if (is_word(text, word)) return false;
  }
  return std::nullopt;
}

constexpr std::size_t k_longest_integer =
    20'000;  ///< in another base than ten; Python prints no number of 4,300 digits

/// Decimal text of digits in a base, exactly; nine decimal digits at a time.
std::string decimal(std::string_view digits, std::uint64_t base) {
  constexpr std::uint64_t k_limb = 1'000'000'000;
  std::vector<std::uint64_t> limbs;  // the least first
  while (!digits.empty()) {
    std::uint64_t factor = 1;
    std::uint64_t carry = 0;
    for (; !digits.empty() && factor < (std::uint64_t{1} << 28U); digits.remove_prefix(1)) {
      const char c = digits.front();
      const int digit = is_digit(c) ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
      factor *= base;
      carry = carry * base + static_cast<std::uint64_t>(digit);
    }
    for (std::uint64_t& limb : limbs) {
      carry += limb * factor;
      limb = carry % k_limb;
      carry /= k_limb;
    }
    for (; carry > 0; carry /= k_limb) limbs.push_back(carry % k_limb);
  }
  std::string out = limbs.empty() ? "0" : "";
  for (auto limb = limbs.rbegin(); limb != limbs.rend(); ++limb) {
    const std::string part = std::to_string(*limb);
    out += (out.empty() ? "" : std::string(9 - part.size(), '0')) + part;
  }
  return out;
}

struct Signed {
  bool negative = false;
  std::string_view magnitude;
};

Signed without_sign(std::string_view text) {
  const bool sign = !text.empty() && (text.front() == '-' || text.front() == '+');
  return {sign && text.front() == '-', text.substr(sign ? 1 : 0)};
}

std::string without_underscores(std::string_view text) {
  std::string out(text);
  out.erase(std::remove(out.begin(), out.end(), '_'), out.end());
  return out;
}

/// [0-5]?[0-9] parts behind the first colon.
bool sexagesimal_tail(const std::vector<std::string>& parts) {
  return std::all_of(parts.begin() + 1, parts.end(), [](const std::string& part) {
    return !part.empty() && part.size() <= 2 && all_of(part, "0123456789") && (part.size() < 2 || part[0] < '6');
  });
}

bool sexagesimal_integer(std::string_view text) {
  const std::vector<std::string> parts = split(text, ':');
  return parts.size() >= 2 && !parts[0].empty() && parts[0][0] >= '1' && parts[0][0] <= '9' &&
         all_of(parts[0], "0123456789_") && sexagesimal_tail(parts);
}

bool looks_integer(std::string_view text) {
  const std::string_view m = without_sign(text).magnitude;
  if (m.empty() || !is_digit(m[0])) return false;
  if (m == "0") return true;
  if (m[0] == '0' && m.size() > k_longest_integer) return false;
  if (m.substr(0, 2) == "0b") return all_of(m.substr(2), "01_");
  if (m.substr(0, 2) == "0x") return all_of(m.substr(2), "0123456789abcdefABCDEF_");
  if (m[0] == '0') return all_of(m.substr(1), "01234567_");
  return all_of(m, "0123456789_") || sexagesimal_integer(m);
}

std::optional<YamlInteger> integer_value(std::string_view text) {
  const std::string clean = without_underscores(text);
  const auto [negative, m] = without_sign(clean);
  std::string digits;
  if (m == "0" || m.empty()) {
    digits = "0";
  } else if (m.substr(0, 2) == "0b" && all_of(m.substr(2), "01")) {
    digits = decimal(m.substr(2), 2);
  } else if (m.substr(0, 2) == "0x" && all_of(m.substr(2), "0123456789abcdefABCDEF")) {
    digits = decimal(m.substr(2), 16);
  } else if (m[0] == '0' && all_of(m, "01234567")) {
    digits = decimal(m, 8);
  } else if (m.find(':') != std::string_view::npos) {
    double total = 0;
    for (const std::string& part : split(m, ':')) {
      if (!all_of(part, "0123456789")) return std::nullopt;
      total = total * 60 + std::strtod(part.c_str(), nullptr);
    }
    digits = fixed(total, 0);
  } else if (all_of(m, "0123456789") && m[0] != '0') {
    digits = m;
  } else {
    return std::nullopt;
  }
  return YamlInteger{negative ? "-" + digits : digits};
}

/// ([0-9][0-9_]*)\.[0-9_]*([eE][-+][0-9]+)?  or  \.[0-9][0-9_]*([eE][-+][0-9]+)?  or sexagesimal  or .inf .nan
bool looks_real(std::string_view text) {
  std::string_view m = without_sign(text).magnitude;
  for (const std::string_view name : {".inf", ".Inf", ".INF"}) {
    if (m == name) return true;
  }
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  const std::size_t dot = m.find('.');
  if (dot == std::string_view::npos) return false;
  if (m.find(':') != std::string_view::npos) {
    const std::vector<std::string> parts = split(m.substr(0, dot), ':');
    return parts.size() >= 2 && !parts[0].empty() && is_digit(parts[0][0]) && all_of(parts[0], "0123456789_") &&
           sexagesimal_tail(parts) && (dot + 1 == m.size() || all_of(m.substr(dot + 1), "0123456789_"));
  }
  const std::size_t exponent = m.find_first_of("eE", dot);
  if (exponent != std::string_view::npos) {
    const std::string_view tail = m.substr(exponent + 1);
    if (tail.size() < 2 || (tail[0] != '-' && tail[0] != '+') || !all_of(tail.substr(1), "0123456789")) return false;
    m = m.substr(0, exponent);
  }
  const std::string_view whole = m.substr(0, dot);
  const std::string_view fraction = m.substr(dot + 1);
  if (whole.empty())
    return text[0] == '.' && !fraction.empty() && is_digit(fraction[0]) && all_of(fraction, "0123456789_");
  return is_digit(whole[0]) && all_of(whole, "0123456789_") && (fraction.empty() || all_of(fraction, "0123456789_"));
}

std::optional<double> real_value(std::string_view text) {
  const std::string clean = to_lower(without_underscores(text));
  const auto [negative, m] = without_sign(clean);
  const double sign = negative ? -1 : 1;
  if (m == ".inf") return sign * std::numeric_limits<double>::infinity();
  if (m == ".nan") return std::numeric_limits<double>::quiet_NaN();
  double total = 0;
  for (const std::string& part : split(m, ':')) {
    char* end = nullptr;
    total = total * 60 + std::strtod(part.c_str(), &end);
    if (part.empty() || *end != '\0') return std::nullopt;
  }
  return sign * total;
}

}  // namespace

YamlScalar resolve_yaml_scalar(std::string_view text) {
  if (text.empty() || text == "~" || is_word(text, "null")) return {};
  if (const std::optional<bool> truth = yaml_truth(text)) return *truth;
  if (looks_integer(text)) {
    if (std::optional<YamlInteger> number = integer_value(text)) return std::move(*number);
  } else if (looks_real(text)) {
    if (const std::optional<double> number = real_value(text)) return *number;
  }
  return std::string(text);
}

bool is_yaml_text(std::string_view text) { return std::holds_alternative<std::string>(resolve_yaml_scalar(text)); }

std::optional<YamlScalar> resolve_yaml_scalar(std::string_view text, std::string_view type) {
  if (type == "str" || type == "timestamp") return std::string(text);
  if (type == "null") return YamlScalar();
  if (type == "bool") return yaml_truth(to_lower(text));
  if (type == "int") return integer_value(text);
  if (type == "float") return real_value(text);
  return std::nullopt;
}

}  // namespace hearth
