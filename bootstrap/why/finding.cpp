#include "bootstrap/why/finding.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::bootstrap::why {

namespace {

/// Other programs' errors may hold addresses with a user and a password: "http://u:p@h" → "http://u:******@h".
std::string without_passwords(std::string text) {
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const std::size_t begin = at + 3;
    const std::size_t end = std::min(text.find_first_of("/?# \t\n\"'<>", begin), text.size());
    const std::size_t sign = text.substr(begin, end - begin).rfind('@');
    const std::size_t colon = text.find(':', begin);
    if (sign != std::string::npos && colon < begin + sign) text.replace(colon + 1, begin + sign - colon - 1, "******");
  }
  return text;
}

/// What is shown: nothing that a log that is passed on is not to have.
Finding safe_to_show(const Finding& finding) {
  Finding out{without_passwords(finding.cause), {}, without_passwords(finding.next)};
  for (const std::string& line : finding.evidence) out.evidence.push_back(without_passwords(line));
  return out;
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& one : findings) {
    const Finding finding = safe_to_show(one);
    if (!out.empty()) out += "\nbesides: ";
    out += cat(finding.cause, "\n");
    for (const std::string& line : finding.evidence)
      out += cat("  seen: ", replace_all(line, "\n", "\n        "), "\n");
    if (!finding.next.empty()) out += cat("  next: ", finding.next, "\n");
  }
  return out;
}

Json findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& one : findings) {
    const Finding finding = safe_to_show(one);
    list.push_back({{"cause", finding.cause}, {"evidence", finding.evidence}, {"next", finding.next}});
  }
  return list;
}

}  // namespace hearth::bootstrap::why
