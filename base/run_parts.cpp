#include "base/run_parts.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth {

namespace {

std::string_view take_digits(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

/// The number before a name. Kept as text: it may have more digits than any integer type.
struct LeadingNumber {
  bool negative = false;
  std::string_view whole;     ///< without leading zeros
  std::string_view fraction;  ///< without trailing zeros

  [[nodiscard]] bool is_zero() const { return whole.empty() && fraction.empty(); }
};

LeadingNumber leading_number(std::string_view name) {
  LeadingNumber number;
  number.negative = !name.empty() && name.front() == '-';
  if (number.negative) name.remove_prefix(1);
  number.whole = take_digits(name);
  number.whole.remove_prefix(std::min(number.whole.find_first_not_of('0'), number.whole.size()));
  if (!name.empty() && name.front() == '.') {
    name.remove_prefix(1);
    number.fraction = take_digits(name);
    number.fraction = number.fraction.substr(0, number.fraction.find_last_not_of('0') + 1);
  }
  number.negative = number.negative && !number.is_zero();
  return number;
}

/// Negative, zero or positive as |a| is smaller than, equal to or greater than |b|.
int compare_magnitude(const LeadingNumber& a, const LeadingNumber& b) {
  if (a.whole.size() != b.whole.size()) return a.whole.size() < b.whole.size() ? -1 : 1;
  const int whole = a.whole.compare(b.whole);
  return whole != 0 ? whole : a.fraction.compare(b.fraction);
}

int compare_numbers(const LeadingNumber& a, const LeadingNumber& b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  return a.negative ? compare_magnitude(b, a) : compare_magnitude(a, b);
}

bool is_word(char c) { return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-'; }

}  // namespace

bool runs_before(std::string_view a, std::string_view b) {
  const int numbers = compare_numbers(leading_number(a), leading_number(b));
  return numbers != 0 ? numbers < 0 : a < b;
}

void sort_run_parts(std::vector<std::string>& names) { std::sort(names.begin(), names.end(), runs_before); }

bool is_run_parts_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_word);
}

bool is_environment_file_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '.'; });
}

}  // namespace hearth
