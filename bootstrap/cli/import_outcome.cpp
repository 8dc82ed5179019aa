#include "bootstrap/cli/import_outcome.hpp"

#include <algorithm>
#include <set>

#include "base/cli/print.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

/// Whether the node's BMC, which an import has changed, has not answered yet.
bool is_asked(const Json& node, const Json& answer) {
  const Json asked = list_member(answer, "asked");
  return std::find(asked.begin(), asked.end(), node.value("uuid", Json())) != asked.end() &&
         node.value("power_state", Json()).is_null() && !text_in(node, "last_error").starts_with(k_other_refuses);
}

/// Whether it is not cleaned, as what it runs would end.
bool is_left_on(const Json& node, const Json& answer) {
  const Json cleaned = list_member(answer, "cleaned");
  return std::find(cleaned.begin(), cleaned.end(), node.value("uuid", Json())) != cleaned.end() &&
         text_in(node, "provision_state") == "manageable" && text_in(node, "power_state") == "power on";
}

Json refused_row(const Json& node) {
  Json row = Json::object();
  for (const char* key : {"uuid", "name", "provision_state", "last_error"}) row[key] = node.value(key, Json());
  return row;
}

}  // namespace

Json failed_imports(ConductorClient& conductor, const Json& answer) {
  int looks = 150;
  Json failed = Json::array();
  for (const char* what : {"created", "updated"}) {
    for (const Json& uuid : answer[what]) {
      Json node = conductor.call("GET", node_target(text_of(uuid)));
      const auto waits = [&] { return node["provision_state"] == "verifying" || is_asked(node, answer); };
      for (; looks > 0 && waits(); --looks) {
        conductor.wait(std::chrono::milliseconds(100));
        node = conductor.call("GET", node_target(text_of(uuid)));
      }
      const std::string state = text_in(node, "provision_state");
      const std::string called = text_in(node, "name", text_of(uuid));
      const std::string error = text_in(node, "last_error");
      if (waits()) {
        cli::tell(
            cat("node ", called, ": its BMC is still being asked; watch it: hearth node events -f ", called, "\n"));
      }
      if (is_left_on(node, answer)) {
        cli::tell(cat("node ", called,
                      " is on, and stays manageable: to be available it is switched off and its disks "
                      "are cleaned; where nothing on it is needed: hearth node provide ",
                      called, "\n"));
      }
      const bool is_past = std::string(what) == "updated" && state != "enroll" && !error.starts_with(k_other_refuses);
      if (error.empty() || is_past) continue;
      failed.push_back(refused_row(node));
      cli::tell(cat("node ", called, state == "enroll" ? " stays " : " is ", state, ": ", error, "\n"));
    }
  }
  if (!failed.empty()) cli::tell("what is corrected in the file is tried again by the next import\n");
  return failed;
}

Json still_refused(ConductorClient& conductor, const Json& answer) {
  const Json& unchanged = answer["unchanged"];
  const std::set<Json> same(unchanged.begin(), unchanged.end());
  Json failed = Json::array();
  if (same.empty()) return failed;
  for (const Json& node : conductor.rows("/v1/nodes/detail?provision_state=enroll", "nodes")) {
    if (!same.contains(node.value("uuid", Json())) || text_in(node, "last_error").empty()) continue;
    failed.push_back(refused_row(node));
    const std::string called = text_in(node, "name", text_in(node, "uuid"));
    cli::tell(cat("node ", called, " is still enroll: ", one_line(text_in(node, "last_error")), "; hearth why ", called,
                  " says what to do\n"));
  }
  return failed;
}

}  // namespace hearth::bootstrap
