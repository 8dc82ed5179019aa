#include "bootstrap/why/causes/finding.hpp"

#include "base/cli/layout.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap::why {

std::string findings_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    if (!out.empty()) out += "\nbesides: ";
    out += cat(finding.cause, "\n");
    for (const std::string& line : finding.evidence)
      out += cat("  seen: ", replace_all(line, "\n", "\n        "), "\n");
    if (!finding.next.empty()) out += cat("  next: ", finding.next, "\n");
  }
  return out;
}

std::string wrapped_findings(const std::string& text, std::size_t room) {
  std::string out;
  for (const std::string& line : split_lines(text)) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (room == 0 || indent == std::string::npos || cli::columns(line) <= room) {
      out += cat(line, "\n");
      continue;
    }
    const std::string rest = line.substr(indent);
    const std::size_t label = rest.starts_with("seen: ") || rest.starts_with("next: ") ? 6 : 2;
    out += cat(std::string(indent, ' '), cli::wrapped(rest, room, indent + label, indent), "\n");
  }
  return out;
}

Json findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"cause", finding.cause}, {"evidence", finding.evidence}, {"next", finding.next}});
  }
  return list;
}

}  // namespace hearth::bootstrap::why
