#include "bootstrap/why/causes/resource_causes.hpp"

#include <optional>

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/why/causes/stack_causes.hpp"

namespace hearth::bootstrap::why {

namespace {

std::optional<Json> row_of(const Json& resources, const std::string& path) {
  const std::vector<std::string> paths = paths_of(resources);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i] == path) return resources[i];
  }
  return std::nullopt;
}

/// What it holds itself (a group, a nested stack), with the way there; empty where it holds nothing.
Json held_by(const Json& resources, const std::string& path) {
  const std::vector<std::string> paths = paths_of(resources);
  Json rows = Json::array();
  bool holds = false;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const bool is_below = paths[i].starts_with(cat(path, "."));
    holds = holds || is_below;
    if (is_below || paths[i] == path || path.starts_with(cat(paths[i], "."))) rows.push_back(resources[i]);
  }
  return holds ? rows : Json::array();
}

/// Of one that failed, waits or is held.
std::optional<std::vector<Finding>> of_unfinished(const StackFacts& facts, const std::string& path) {
  if (const Json rows = held_by(facts.resources, path); !rows.empty())
    return causes_of(StackFacts{facts.stack, rows, facts.silent});
  const std::optional<Finding> found = resource_cause(facts.stack, facts.resources, path);
  if (!found) return std::nullopt;
  const std::optional<Json> row = row_of(facts.resources, path);
  for (const std::string& server : silent_servers(Json::array({*row}))) {  // of its machine the node knows more
    if (const auto machine = facts.silent.find(server); machine != facts.silent.end())
      return causes_of(StackFacts{facts.stack, Json::array({*row}), {*machine}});
  }
  return std::vector<Finding>{*found};
}

/// Its turn has not come: what is ahead of it is the cause.
std::vector<Finding> of_unbegun(const ResourceFacts& facts, const StackFacts& running) {
  Json unbegun = Json::array();
  for (const Json& row : facts.rest) {
    if (text_in(row, "resource_status").starts_with("INIT")) unbegun.push_back(row);
  }
  StackFacts ahead{running.stack, resources_ahead(running.resources, unbegun, {facts.path}), running.silent};
  std::vector<Finding> found = causes_of(ahead.resources.empty() ? running : ahead);
  found.front().cause = cat(facts.path, " has not begun: ", found.front().cause);
  return found;
}

}  // namespace

bool is_known(const ResourceFacts& facts) {
  return row_of(facts.running.resources, facts.path) || row_of(facts.rest, facts.path);
}

std::vector<Finding> causes_of(const ResourceFacts& facts) {
  const StackFacts running = safe_facts(facts.running);
  if (auto found = of_unfinished(running, facts.path)) return *found;
  const Json row = row_of(facts.rest, facts.path).value_or(Json::object());
  const std::string status = text_in(row, "resource_status");
  if (status.starts_with("INIT")) return of_unbegun(facts, running);
  const std::string since = text_in(row, "updated_time");
  return {{cat("Nothing is wrong: ", facts.path, " is ", status, "."),
           {cat(text_in(row, "resource_type"), since.empty() ? "" : cat(", so since ", since))},
           cat("hearth stack resource show ", text_in(running.stack, "stack_name"), " ", facts.path)}};
}

}  // namespace hearth::bootstrap::why
