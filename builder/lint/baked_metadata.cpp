#include "builder/lint/baked_metadata.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/json.hpp"
#include "base/sys/heat_hooks.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::builder {

namespace {

/// The groups whose hooks run a deployment: its own, or of a component the tools of its configs.
std::vector<std::string> groups_of(const Json& deployment) {
  const std::string group = text_member(deployment, "group");
  if (group != "component") return {group};
  std::vector<std::string> tools;
  for (const Json& part : list_member(member_or_null(deployment, "config"), "configs"))
    tools.push_back(text_member(part, "tool"));
  return tools;
}

bool is_brought(const FileReader& files, const BuildPlan& plan, const std::string& group) {
  const std::vector<std::string>& known = agents_hooks();
  if (needs_no_hook(group) || std::find(known.begin(), known.end(), group) != known.end()) return true;
  const auto& elements = plan.elements.elements;
  return std::any_of(elements.begin(), elements.end(),
                     [&](const Element& element) { return brings_hook(files, element.path, group); });
}

/// Hooks that lie in the plan's elements, by their groups.
std::map<std::string, fs::path> hooks_of(const FileReader& files, const BuildPlan& plan) {
  std::map<std::string, fs::path> hooks;
  for (const Element& element : plan.elements.elements) {
    for (const fs::path& file : hook_files(files, element.path)) hooks.emplace(file.filename().string(), file);
  }
  return hooks;
}

}  // namespace

std::vector<Finding> deployments_without_hook(const FileReader& files, const ImageRequest& request,
                                              const BuildPlan& plan) {
  const std::string file = variable(request.environment, "DIB_HEAT_METADATA");
  const Element* const agent = plan.elements.find("hearth-agent");
  if (file.empty() || agent == nullptr || !agent->built_in) return {};
  const Json metadata = json_or_null(files.read(file).value_or(""));
  const std::map<std::string, fs::path> hooks = hooks_of(files, plan);
  std::set<std::string> asked;
  std::map<std::string, std::vector<std::string>> lacking;  // deployments by group
  for (const Json& deployment : list_member(metadata, "deployments")) {
    for (const std::string& group : groups_of(deployment)) {
      asked.insert(group);
      if (!is_brought(files, plan, group)) lacking[group].push_back(text_member(deployment, "name"));
    }
  }
  std::vector<Finding> found;
  for (const auto& [group, path] : hooks) {
    const std::optional<FileStatus> status = files.status(path);
    if (asked.contains(group) && status && (status->mode & 0111U) == 0)
      found.push_back({path, 0, Severity::warning, "deployment",
                       cat("the hook for deployments of the group ", group, " is not executable: chmod +x")});
  }
  std::vector<std::string> known = agents_hooks();
  for (const auto& [group, path] : hooks) known.push_back(group);
  for (const auto& [group, names] : lacking) {
    const auto near = nearest(group, known);
    found.push_back({file, 0, Severity::warning, "deployment",
                     cat("the image has no hook for deployments of the group ", group, " (", join(names, ", "), ")",
                         near ? cat("; did you mean ", *near, "?")
                              : ": none of its elements brings one; hearth help heat-config-hook: how to write it")});
  }
  return found;
}

}  // namespace hearth::builder
