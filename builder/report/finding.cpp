#include "builder/report/finding.hpp"

#include "base/text.hpp"

namespace hearth::builder {

std::string finding_text(const Finding& finding) {
  std::string text = finding.file.string();
  if (finding.line > 0) text += cat(":", finding.line);
  if (finding.line > 0 && finding.column > 0) text += cat(":", finding.column);
  return cat(text, finding.severity == Severity::error ? ": error: " : ": warning: ", finding.what, " [", finding.check,
             "]");
}

Json findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"file", finding.file.string()},
                    {"line", finding.line},
                    {"column", finding.column},
                    {"severity", finding.severity == Severity::error ? "error" : "warning"},
                    {"check", finding.check},
                    {"what", finding.what}});
  }
  return list;
}

Disabled disabled_checks(std::string_view text, std::string_view before) {
  const std::string marker = cat(before, "dib-lint: disable=");
  Disabled disabled;
  for (const std::string& line : split_lines(text)) {
    const std::size_t at = line.find(marker);
    if (at == std::string::npos || (!before.empty() && at != 0)) continue;
    for (std::string& word : split_words(line.substr(at + marker.size()))) disabled.insert(std::move(word));
  }
  return disabled;
}

Disabled globally_disabled_checks(std::string_view tox_ini) {
  Disabled disabled;
  bool in_section = false;
  for (const std::string& line : split_lines(tox_ini)) {
    const std::string_view text = trim(line);
    if (!text.empty() && text.front() == '[') in_section = text == "[dib-lint]";
    const std::size_t equals = text.find_first_of("=:");
    if (!in_section || equals == std::string_view::npos || trim(text.substr(0, equals)) != "ignore") continue;
    for (std::string& word : split_words(text.substr(equals + 1))) disabled.insert(std::move(word));
  }
  return disabled;
}

}  // namespace hearth::builder
