#include "bootstrap/cli/import_outcome.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/cli/print.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

/// Whether the node's BMC, which an import has changed, has not answered yet.
bool is_asked(const Json& node, const std::set<std::string>& asked) {
  return asked.contains(text_in(node, "uuid")) && node.value("power_state", Json()).is_null() &&
         !text_in(node, "last_error").starts_with(k_other_refuses);
}

std::set<std::string> texts_of(const Json& list) {
  std::set<std::string> texts;
  for (const Json& one : list) texts.insert(text_of(one));
  return texts;
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

constexpr std::size_t k_many = 100;

/// The nodes as they are now, by UUID: many of them from the list of all, as each question is a request.
std::map<std::string, Json> as_they_are(ConductorClient& conductor, const std::vector<std::string>& uuids) {
  std::map<std::string, Json> nodes;
  if (uuids.size() <= k_many) {
    for (const std::string& uuid : uuids) nodes[uuid] = conductor.call("GET", node_target(uuid));
    return nodes;
  }
  for (Json& node : conductor.rows("/v1/nodes?fields=uuid,name,provision_state,power_state,last_error", "nodes")) {
    std::string uuid = text_in(node, "uuid");
    nodes[std::move(uuid)] = std::move(node);
  }
  return nodes;
}

/// Before that a look at all of them, thousands of rows, would tell little. One that is ours is enough to tell: it
/// stands among the first that are being verified, unless others import, too.
bool are_verified(ConductorClient& conductor, const std::vector<std::string>& uuids) {
  const std::set<std::string> ours(uuids.begin(), uuids.end());
  for (std::string behind;;) {
    const Json rows =
        conductor.call("GET", cat("/v1/nodes?provision_state=verifying&fields=uuid&limit=", k_many, behind))["nodes"];
    if (std::ranges::any_of(rows, [&](const Json& row) { return ours.contains(text_in(row, "uuid")); })) return false;
    if (rows.size() < k_many) return true;
    behind = cat("&marker=", text_in(rows.back(), "uuid"));
  }
}

/// For as long as `left`, the longer between two looks the more of them there were.
std::map<std::string, Json> when_answered(ConductorClient& conductor, std::vector<std::string> uuids, Duration left,
                                          const std::function<bool(const Json&)>& waits) {
  Duration pause = std::chrono::milliseconds(100);
  const auto is_over = [&] {
    if (left == Duration::zero()) return true;
    pause = std::min(pause, left);
    conductor.wait(pause);
    left -= pause;
    pause *= 2;
    return false;
  };
  while (uuids.size() > k_many && !are_verified(conductor, uuids) && !is_over()) continue;
  std::map<std::string, Json> nodes = as_they_are(conductor, uuids);
  for (const std::string& uuid : uuids) nodes.emplace(uuid, Json::object());  // taken away meanwhile
  while (true) {
    std::erase_if(uuids, [&](const std::string& uuid) { return !waits(nodes[uuid]); });
    if (uuids.empty() || is_over()) return nodes;
    for (auto& [uuid, node] : as_they_are(conductor, uuids)) nodes[uuid] = std::move(node);
  }
}

/// A line each, as long as somebody can read them.
void tell_of_waiting(const std::vector<std::string>& names) {
  if (names.size() > k_many) {
    cli::tell(cat(names.size(), " nodes, ", names.front(), " to ", names.back(),
                  ": their BMCs are still being asked; how far it is: hearth node list\n"));
    return;
  }
  for (const std::string& called : names)
    cli::tell(cat("node ", called, ": its BMC is still being asked; watch it: hearth node events -f ", called, "\n"));
}

}  // namespace

Json failed_imports(ConductorClient& conductor, const Json& answer) {
  Json failed = Json::array();
  std::vector<std::string> uuids;
  for (const char* what : {"created", "updated", "retried"}) {
    for (const Json& uuid : list_member(answer, what)) uuids.push_back(text_of(uuid));
  }
  const std::set<std::string> asked = texts_of(list_member(answer, "asked"));
  const auto waits = [&asked](const Json& node) {
    return node.value("provision_state", Json()) == "verifying" || is_asked(node, asked);
  };
  std::map<std::string, Json> nodes = when_answered(conductor, uuids, std::chrono::seconds(15), waits);
  std::vector<std::string> waiting;
  for (const char* what : {"created", "updated", "retried"}) {
    for (const Json& uuid : list_member(answer, what)) {
      const Json& node = nodes[text_of(uuid)];
      const std::string state = text_in(node, "provision_state");
      const std::string called = text_in(node, "name", text_of(uuid));
      const std::string error = text_in(node, "last_error");
      if (waits(node)) waiting.push_back(called);
      if (is_left_on(node, answer)) {
        cli::tell(cat("node ", called,
                      " is on, and stays manageable: to be available it is switched off and its disks "
                      "are cleaned; where nothing on it is needed: hearth node provide ",
                      called, "\n"));
      }
      const bool is_past = std::string(what) != "created" && state != "enroll" && !error.starts_with(k_other_refuses);
      if (error.empty() || is_past) continue;
      failed.push_back(refused_row(node));
      cli::tell(cat("node ", called, state == "enroll" ? " stays " : " is ", state, ": ", error, "\n"));
    }
  }
  tell_of_waiting(waiting);
  if (!failed.empty())
    cli::tell("what is corrected, in the file or around the machine, is tried again by the next import\n");
  return failed;
}

void tell_of_other_management(ConductorClient& conductor, const std::vector<ChangedNode>& changes) {
  std::vector<std::string> uuids;
  for (const auto& [before, after] : changes) {
    const std::string error = text_in(before, "last_error");
    const std::string called = text_in(after, "name", text_in(after, "uuid"));
    const bool was_known = !before.value("power_state", Json()).is_null() || error.starts_with(k_other_refuses);
    if (was_known && after.value("power_state", Json()).is_null()) uuids.push_back(text_in(after, "uuid"));
    if (!error.empty() && text_in(after, "provision_state") == "enroll")
      cli::tell(cat("node ", called, " stays in enroll, where its BMC failed: hearth node manage ", called,
                    " tries it again\n"));
  }
  if (uuids.empty()) return;
  const std::set<std::string> asked(uuids.begin(), uuids.end());
  const auto waits = [&asked](const Json& node) { return is_asked(node, asked); };
  std::vector<std::string> waiting;
  for (const auto& [uuid, node] : when_answered(conductor, uuids, std::chrono::seconds(5), waits)) {
    const std::string called = text_in(node, "name", uuid);
    const std::string error = text_in(node, "last_error");
    if (waits(node)) waiting.push_back(called);
    if (error.starts_with(k_other_refuses)) cli::tell(cat("node ", called, ": ", error, "\n"));
  }
  if (!waiting.empty()) tell_of_waiting(waiting);
}

Json still_refused(ConductorClient& conductor, const Json& answer) {
  const Json& unchanged = answer["unchanged"];
  std::set<Json> same(unchanged.begin(), unchanged.end());
  for (const Json& uuid : list_member(answer, "retried")) same.erase(uuid);
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
