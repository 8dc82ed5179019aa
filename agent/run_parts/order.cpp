#include "agent/run_parts/order.hpp"

#include <regex.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace hearth::agent {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

}  // namespace

bool runs_before(std::string_view a, std::string_view b) {
  const int numbers = compare_numbers(leading_number(a), leading_number(b));
  return numbers != 0 ? numbers < 0 : a < b;
}

struct NamePattern::Compiled {
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (ready) ::regfree(&regex);
  }
  regex_t regex{};
  bool ready = false;
};

NamePattern::NamePattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
NamePattern::NamePattern(NamePattern&&) noexcept = default;
NamePattern::~NamePattern() = default;

Result<NamePattern> NamePattern::compile(const std::string& expression) {
  std::unique_ptr<Compiled> compiled = std::make_unique<Compiled>();
  const int code = ::regcomp(&compiled->regex, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (code == 0) {
    compiled->ready = true;
    return NamePattern(std::move(compiled));
  }
  std::array<char, 256> reason{};
  ::regerror(code, &compiled->regex, reason.data(), reason.size());
  return ParseError{"RUN_PARTS_REGEX", {}, cat("'", expression, "': ", reason.data())};
}

bool NamePattern::matches(const std::string& name) const {
  return ::regexec(&compiled_->regex, name.c_str(), 0, nullptr, 0) == 0;
}

Selection select_scripts(const std::vector<Candidate>& candidates, const NamePattern& pattern) {
  Selection selection;
  for (const Candidate& candidate : candidates) {
    if (!candidate.regular) continue;
    const bool conforms = pattern.matches(candidate.name);
    if (candidate.executable && conforms) selection.scripts.push_back(candidate.name);
    if (candidate.executable && !conforms) selection.nonconforming.push_back(candidate.name);
    if (!candidate.executable && conforms) selection.not_executable.push_back(candidate.name);
  }
  for (auto* names : {&selection.scripts, &selection.not_executable, &selection.nonconforming}) {
    std::sort(names->begin(), names->end(), runs_before);
  }
  return selection;
}

}  // namespace hearth::agent
