#include "bootstrap/why/finding.hpp"

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

Json findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"cause", finding.cause}, {"evidence", finding.evidence}, {"next", finding.next}});
  }
  return list;
}

}  // namespace hearth::bootstrap::why
