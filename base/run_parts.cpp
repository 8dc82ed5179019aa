#include "base/run_parts.hpp"

#include <algorithm>

namespace hearth {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) { return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-'; }

/// The leading number of a name: sign and digits without leading zeros ("" is zero).
struct LeadingNumber {
  bool negative = false;
  std::string_view digits;
};

LeadingNumber leading_number(std::string_view name) {
  LeadingNumber number;
  if (name.size() > 1 && name[0] == '-' && is_digit(name[1])) {
    number.negative = true;
    name.remove_prefix(1);
  }
  while (!name.empty() && name[0] == '0') name.remove_prefix(1);
  std::size_t length = 0;
  while (length < name.size() && is_digit(name[length])) ++length;
  number.digits = name.substr(0, length);
  if (number.digits.empty()) number.negative = false;
  return number;
}

/// <0, 0, >0 as a is less than, equal to or greater than b.
int compare(const LeadingNumber& a, const LeadingNumber& b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  int magnitude = a.digits.compare(b.digits);
  if (a.digits.size() != b.digits.size()) magnitude = a.digits.size() < b.digits.size() ? -1 : 1;
  return a.negative ? -magnitude : magnitude;
}

}  // namespace

void sort_run_parts(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    const int by_number = compare(leading_number(a), leading_number(b));
    return by_number != 0 ? by_number < 0 : a < b;
  });
}

bool is_run_parts_name(std::string_view name) { return !name.empty() && std::all_of(name.begin(), name.end(), is_word); }

bool is_environment_file_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '.'; });
}

}  // namespace hearth
