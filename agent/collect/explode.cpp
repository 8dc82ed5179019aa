#include "agent/collect/explode.hpp"

#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// Other groups are heat-config's business.
bool is_ours(const Json& deployment) {
  const auto group = deployment.find("group");
  if (group == deployment.end()) return true;
  return *group == "Heat::Ungrouped" || *group == "os-apply-config";
}

void add_deployment(std::vector<Collected>& found, const Json& deployment, const std::string& key, Logger& log) {
  if (!deployment.is_object()) {
    log.warning(cat("A deployment under ", key, " is not an object."));
    return;
  }
  const auto name = deployment.find("name");
  if (name == deployment.end()) {
    log.warning(cat("No name found for a deployment under ", key, "."));
    return;
  }
  if (!is_ours(deployment)) return;
  const auto config = deployment.find("config");
  if (config == deployment.end()) {
    log.warning(cat("No config found for deployment ", python_text(*name), " under ", key, "."));
    return;
  }
  found.push_back({python_text(*name), *config});
}

}  // namespace

std::vector<Collected> explode(const std::string& name, const Json& content, const std::vector<std::string>& keys,
                               Logger& log) {
  std::vector<Collected> found = {{name, content}};
  if (!content.is_object()) return found;
  for (const std::string& key : keys) {
    const auto deployments = content.find(key);
    if (deployments == content.end()) continue;
    if (!deployments->is_array()) {
      log.warning(cat("Deployment-key ", key, " was found but does not contain a list."));
      continue;
    }
    for (const Json& deployment : *deployments) add_deployment(found, deployment, key, log);
  }
  return found;
}

}  // namespace hearth::agent
