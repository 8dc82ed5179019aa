#include "agent/collect/source.hpp"

#include <algorithm>

#include "agent/collect/sources.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

const std::vector<SourceRow>& source_rows() {
  static const std::vector<SourceRow> rows = {
      {"heat_local", collect_heat_local}, {"ec2", collect_ec2},     {"cfn", collect_cfn},    {"heat", collect_heat},
      {"request", collect_request},       {"local", collect_local}, {"zaqar", collect_zaqar}};
  return rows;
}

void check_source_names(const std::vector<std::string>& names) {
  std::vector<std::string> valid;
  for (const SourceRow& row : source_rows()) valid.emplace_back(row.name);
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    if (std::find(valid.begin(), valid.end(), name) == valid.end()) unknown.push_back(name);
  }
  if (unknown.empty()) return;
  throw Error(ErrorKind::input,
              cat("Unknown collectors ", python_list(unknown), ". Valid collectors are: ", python_list(valid)));
}

std::vector<std::string> missing_options(const Settings& settings, std::string_view group,
                                         const std::vector<std::string>& needed) {
  std::vector<std::string> missing;
  for (const std::string& name : needed) {
    if (!settings.text(group, name)) missing.push_back(name);
  }
  return missing;
}

std::string json_complaint(const ParseError& error) {
  return error.at.line > 0 ? cat(error.what, ": line ", error.at.line, " column ", error.at.column) : error.what;
}

std::string python_list(const std::vector<std::string>& texts) { return python_text(Json(texts)); }

}  // namespace hearth::agent
