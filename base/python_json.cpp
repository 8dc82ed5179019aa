#include "base/python_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "base/text.hpp"
#include "base/unicode_printable.hpp"
#include "base/utf8.hpp"

namespace hearth {

namespace {

std::string hex_number(char32_t value, std::size_t digits) {
  std::array<char, 8> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<std::uint32_t>(value), 16).ptr;
  const std::string text(buffer.data(), end);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

/// A finite number as sign, decimal digits d1 d2 d3… and exponent: d1.d2d3… times ten to the exponent.
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;

  [[nodiscard]] std::string scientific() const {
    const std::string magnitude = std::to_string(std::abs(exponent));
    return cat(negative ? "-" : "", digits.substr(0, 1), digits.size() > 1 ? "." : "", digits.substr(1),
               exponent < 0 ? "e-" : "e+", magnitude.size() < 2 ? "0" : "", magnitude);
  }

  [[nodiscard]] std::string positional() const {
    const std::string sign = negative ? "-" : "";
    if (exponent < 0) return cat(sign, "0.", std::string(static_cast<std::size_t>(-exponent - 1), '0'), digits);
    const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= whole) return cat(sign, digits, std::string(whole - digits.size(), '0'), ".0");
    return cat(sign, digits.substr(0, whole), ".", digits.substr(whole));
  }
};

/// The number rounded to `count` digits.
Decimal rounded(double number, int count) {
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*e", count - 1, std::fabs(number));
  const std::string_view text = buffer.data();
  const std::size_t mark = text.find('e');
  Decimal decimal{.negative = std::signbit(number), .exponent = std::atoi(text.data() + mark + 1)};
  std::copy_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(mark), std::back_inserter(decimal.digits),
               [](char c) { return c != '.'; });
  return decimal;
}

/// One more in the last digit.
Decimal next_above(Decimal decimal) {
  std::size_t place = decimal.digits.size();
  while (place > 0 && decimal.digits[place - 1] == '9') decimal.digits[--place] = '0';
  if (place > 0) {
    ++decimal.digits[place - 1];
    return decimal;
  }
  decimal.digits.insert(decimal.digits.begin(), '1');
  decimal.digits.pop_back();
  ++decimal.exponent;
  return decimal;
}

bool reads_back_as(const Decimal& decimal, double number) {
  return std::strtod(decimal.scientific().c_str(), nullptr) == number;
}

/// The shortest digits that read back as the same number, the nearest of those. Below a power of two doubles lie twice
/// as dense as above it, so there the nearest digits may miss where those one above still read back. Not std::to_chars:
/// its tables are a hundred and fifty kilobytes in every static binary.
Decimal shortest(double number) {
  int binary_exponent = 0;
  const bool power_of_two = std::frexp(std::fabs(number), &binary_exponent) == 0.5;
  for (int count = 1; count < std::numeric_limits<double>::max_digits10; ++count) {
    Decimal decimal = rounded(number, count);
    if (reads_back_as(decimal, number)) return decimal;
    if (!power_of_two) continue;
    decimal = next_above(std::move(decimal));
    if (reads_back_as(decimal, number)) return decimal;
  }
  return rounded(number, std::numeric_limits<double>::max_digits10);
}

/// repr() of a finite float: the shortest digits that read back the same, with an exponent below 1e-4 and from 1e16 on.
std::string finite_repr(double number) {
  const Decimal decimal = shortest(number);
  return decimal.exponent < -4 || decimal.exponent >= 16 ? decimal.scientific() : decimal.positional();
}

struct FloatNames {
  std::string_view nan;
  std::string_view infinity;
};
constexpr FloatNames k_json_floats{"NaN", "Infinity"};
constexpr FloatNames k_repr_floats{"nan", "inf"};

std::string float_text(double number, const FloatNames& names) {
  if (std::isnan(number)) return std::string(names.nan);
  if (std::isinf(number)) return cat(number < 0 ? "-" : "", names.infinity);
  return finite_repr(number);
}

void append_json_escape(std::string& out, char32_t value) {
  switch (value) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (value >= 0x20 && value < 0x7f) {
    out.push_back(static_cast<char>(value));
  } else if (value < 0x10000) {
    out += cat("\\u", hex_number(value, 4));
  } else {
    const char32_t rest = value - 0x10000;
    out += cat("\\u", hex_number(0xd800 + (rest >> 10U), 4), "\\u", hex_number(0xdc00 + (rest & 0x3ffU), 4));
  }
}

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    const DecodedCharacter next = decode_utf8(text);
    append_json_escape(out, next.value);
    text.remove_prefix(next.length);
  }
  out.push_back('"');
}

/// Members in output order.
std::vector<const Json::object_t::value_type*> members_of(const Json& object, bool sorted) {
  std::vector<const Json::object_t::value_type*> members;
  for (const auto& member : object.get_ref<const Json::object_t&>()) members.push_back(&member);
  if (sorted)
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return members;
}

class JsonWriter {
 public:
  explicit JsonWriter(const PythonJsonStyle& style) : style_(style) {}

  std::string write(const Json& value) {
    append(value, 0);
    return std::move(out_);
  }

 private:
  void append(const Json& value, int depth) {
    switch (value.type()) {
      case Json::value_t::object: append_object(value, depth); return;
      case Json::value_t::array: append_array(value, depth); return;
      case Json::value_t::string: append_json_string(out_, value.get_ref<const std::string&>()); return;
      default: out_ += scalar(value); return;
    }
  }

  static std::string scalar(const Json& value) {
    if (value.is_number_float()) return float_text(value.get<double>(), k_json_floats);
    if (is_big_integer(value)) return big_integer_text(value);
    return format_json(value);
  }

  void append_object(const Json& object, int depth) {
    if (object.empty()) {
      out_ += "{}";
      return;
    }
    bool first = true;
    out_.push_back('{');
    for (const auto* member : members_of(object, style_.sort_keys)) {
      separate(first, depth + 1);
      append_json_string(out_, member->first);
      out_ += ": ";
      append(member->second, depth + 1);
      first = false;
    }
    break_line(depth);
    out_.push_back('}');
  }

  void append_array(const Json& array, int depth) {
    if (array.empty()) {
      out_ += "[]";
      return;
    }
    bool first = true;
    out_.push_back('[');
    for (const Json& element : array) {
      separate(first, depth + 1);
      append(element, depth + 1);
      first = false;
    }
    break_line(depth);
    out_.push_back(']');
  }

  void separate(bool first, int depth) {
    if (!first) out_ += style_.indent < 0 ? ", " : ",";
    break_line(depth);
  }

  void break_line(int depth) {
    if (style_.indent < 0) return;
    out_.push_back('\n');
    out_.append(static_cast<std::size_t>(depth) * static_cast<std::size_t>(style_.indent), ' ');
  }

  const PythonJsonStyle& style_;
  std::string out_;
};

void append_repr_escape(std::string& out, char32_t value, char quote) {
  switch (value) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\\': out += "\\\\"; return;
    default: break;
  }
  if (value == static_cast<char32_t>(quote)) out.push_back('\\');
  if (is_printable(value)) {
    append_utf8(out, value);
  } else if (value < 0x100) {
    out += cat("\\x", hex_number(value, 2));
  } else if (value < 0x10000) {
    out += cat("\\u", hex_number(value, 4));
  } else {
    out += cat("\\U", hex_number(value, 8));
  }
}

/// repr() of a string: single quotes, unless it holds some and no double ones.
void append_repr(std::string& out, std::string_view text) {
  const bool use_double = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = use_double ? '"' : '\'';
  out.push_back(quote);
  while (!text.empty()) {
    const DecodedCharacter next = decode_utf8(text);
    append_repr_escape(out, next.value, quote);
    text.remove_prefix(next.length);
  }
  out.push_back(quote);
}

void append_literal(std::string& out, const Json& value);

void append_dict(std::string& out, const Json& object) {
  std::string_view separator;
  out.push_back('{');
  for (const auto* member : members_of(object, false)) {
    out += separator;
    append_repr(out, member->first);
    out += ": ";
    append_literal(out, member->second);
    separator = ", ";
  }
  out.push_back('}');
}

void append_list(std::string& out, const Json& array) {
  std::string_view separator;
  out.push_back('[');
  for (const Json& element : array) {
    out += separator;
    append_literal(out, element);
    separator = ", ";
  }
  out.push_back(']');
}

std::string scalar_literal(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number_float()) return float_text(value.get<double>(), k_repr_floats);
  if (is_big_integer(value)) return big_integer_text(value);
  return format_json(value);
}

void append_literal(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: append_dict(out, value); return;
    case Json::value_t::array: append_list(out, value); return;
    case Json::value_t::string: append_repr(out, value.get_ref<const std::string&>()); return;
    default: out += scalar_literal(value); return;
  }
}

}  // namespace

std::string python_json(const Json& value, const PythonJsonStyle& style) { return JsonWriter(style).write(value); }

std::string python_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string out;
  append_literal(out, value);
  return out;
}

Json make_big_integer(std::string_view digits) {
  return Json::binary(Json::binary_t::container_type(digits.begin(), digits.end()), k_big_integer);
}

bool is_big_integer(const Json& value) {
  if (!value.is_binary()) return false;
  const Json::binary_t& binary = value.get_binary();
  return binary.has_subtype() && binary.subtype() == k_big_integer;
}

std::string big_integer_text(const Json& value) {
  const Json::binary_t& binary = value.get_binary();
  return {binary.begin(), binary.end()};
}

}  // namespace hearth
