#include "agent/cfn/rpm_version.hpp"

#include "base/text.hpp"

namespace hearth::agent {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void skip_separators(std::string_view& text) {
  while (!text.empty() && !is_digit(text.front()) && !is_letter(text.front()) && text.front() != '~') {
    text.remove_prefix(1);
  }
}

/// The run of digits or letters that the text begins with; it is taken away.
std::string_view take_run(std::string_view& text) {
  const bool digits = is_digit(text.front());
  std::size_t length = 0;
  while (length < text.size() && (digits ? is_digit(text[length]) : is_letter(text[length]))) ++length;
  const std::string_view run = text.substr(0, length);
  text.remove_prefix(length);
  return run;
}

int compare_runs(std::string_view one, std::string_view other) {
  if (is_digit(one.front()) != is_digit(other.front())) return is_digit(one.front()) ? 1 : -1;
  if (is_digit(one.front())) {
    while (!one.empty() && one.front() == '0') one.remove_prefix(1);
    while (!other.empty() && other.front() == '0') other.remove_prefix(1);
    if (one.size() != other.size()) return one.size() < other.size() ? -1 : 1;
  }
  return one.compare(other);
}

}  // namespace

int compare_rpm_versions(std::string_view one, std::string_view other) {
  while (true) {
    skip_separators(one);
    skip_separators(other);
    const bool tilde = !one.empty() && one.front() == '~';
    const bool other_tilde = !other.empty() && other.front() == '~';
    if (tilde != other_tilde) return tilde ? -1 : 1;
    if (tilde) {
      one.remove_prefix(1);
      other.remove_prefix(1);
      continue;
    }
    if (one.empty() || other.empty()) return static_cast<int>(!one.empty()) - static_cast<int>(!other.empty());
    const int order = compare_runs(take_run(one), take_run(other));
    if (order != 0) return order;
  }
}

std::string newest_rpm_version(const std::vector<std::string>& versions) {
  std::string newest;
  for (const std::string& version : versions) {
    if (newest.empty() || compare_rpm_versions(newest, version) < 0) newest = version;
  }
  return newest;
}

}  // namespace hearth::agent
