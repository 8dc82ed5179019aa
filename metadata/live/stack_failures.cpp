#include "metadata/live/stack_failures.hpp"

#include "base/text.hpp"
#include "metadata/live/stack_text.hpp"

namespace hearth::metadata::live {

std::string failures_text(StackClient& client, const std::string& place, const std::string& path) {
  std::string text;
  const Json found = client.call("GET", cat(place, "/resources"));
  for (const Json& resource : found.at("resources")) {
    if (resource.value("resource_status", "").find("FAILED") == std::string::npos) continue;
    const std::string own = cat(path, ".", resource.value("resource_name", ""));
    std::string nested;
    for (const Json& link : resource["links"]) {
      if (link.value("rel", "") == "nested") nested = link.value("href", "");
    }
    if (!nested.empty()) {
      text += failures_text(client, nested.substr(nested.find("/stacks/")), own);
      continue;
    }
    Json deployment;
    if (resource.value("resource_type", "").find("Deployment") != std::string::npos) {
      deployment = client.call(
          "GET", cat("/software_deployments/", resource.value("physical_resource_id", "")))["software_deployment"];
    }
    text += failure_text(own, resource, deployment);
  }
  return text;
}

}  // namespace hearth::metadata::live
