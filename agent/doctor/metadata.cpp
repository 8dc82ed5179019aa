#include "agent/doctor/check.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_credentials =
    "what was answered is above; 401 and 403 mean credentials that are wrong or expired: compare those in "
    "/etc/os-collect-config.conf with the server's in Heat";

}  // namespace

CheckResult check_metadata(const Poll& poll) {
  CheckResult result{"metadata", "Do the sources have metadata with deployments for this machine?", {}, {}};
  if (poll.asked.empty() && !poll.warnings.empty()) {
    result.problems.push_back({cat("no source was asked:\n", poll.warnings), "correct that first"});
    return result;
  }
  if (poll.asked.empty()) {
    result.notes.emplace_back("no source could be asked (what is read from a Zaqar queue would be gone)");
    return result;
  }
  if (poll.documents.empty()) {
    const std::string said = poll.warnings.empty() ? "" : cat("\n", poll.warnings);
    result.problems.push_back(
        {cat("no source has any metadata; asked: ", join(poll.asked, ", "), said), k_credentials});
    return result;
  }
  for (const std::string& name : poll.configured) {
    if (find_member(poll.documents, name) != nullptr) continue;
    result.problems.push_back({cat("source ", name, " has nothing:\n", poll.warnings), k_credentials});
  }
  bool has_deployments = false;
  for (const auto& [name, document] : poll.documents.items()) {
    const Json* deployments = find_member(document, "deployments");
    has_deployments = has_deployments || (deployments != nullptr && deployments->is_array());
  }
  if (!has_deployments) {
    result.problems.push_back({"the metadata hold no deployments",
                               "the server needs user_data_format: SOFTWARE_CONFIG, and a deployment that names it"});
  }
  return result;
}

}  // namespace hearth::agent
