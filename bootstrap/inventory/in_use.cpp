#include "bootstrap/inventory/in_use.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

bool is_among(std::string_view state, const auto& states) { return std::ranges::find(states, state) != states.end(); }

constexpr std::array<std::string_view, 8> k_idle_in_metal3 = {"",          "unmanaged", "registering", "match profile",
                                                              "preparing", "ready",     "available",   "inspecting"};
constexpr std::array<std::string_view, 9> k_idle_in_maas = {
    "", "new", "commissioning", "failed commissioning", "testing", "failed testing", "ready", "broken", "missing"};
constexpr std::array<std::string_view, 12> k_idle_in_ironic = {
    "",         "enroll",     "verifying",    "manageable", "inspecting", "inspect wait", "inspect failed",
    "cleaning", "clean wait", "clean failed", "clean hold", "available"};

/// " (do you mean Ready?)", where the state is none of MAAS', which has words as people read them.
std::string meant_state_of_maas(const std::string& state) {
  static const std::vector<std::string> all = {"New",
                                               "Commissioning",
                                               "Failed commissioning",
                                               "Testing",
                                               "Failed testing",
                                               "Ready",
                                               "Broken",
                                               "Missing",
                                               "Reserved",
                                               "Deployed",
                                               "Deploying",
                                               "Failed deployment",
                                               "Allocated",
                                               "Retired",
                                               "Releasing",
                                               "Disk erasing",
                                               "Releasing failed",
                                               "Failed disk erasing",
                                               "Entering rescue mode",
                                               "Rescue mode",
                                               "Failed to enter rescue mode",
                                               "Exiting rescue mode",
                                               "Failed to exit rescue mode"};
  const auto is_it = [&](const std::string& one) { return to_lower(one) == to_lower(state); };
  const std::optional<std::string> near = std::ranges::any_of(all, is_it) ? std::nullopt : nearest(state, all);
  return near ? cat(" (do you mean ", *near, "?)") : "";
}

/// The state that a cluster's tool keeps beside a host that is moved, in an annotation: the status as JSON.
std::string annotated_state(const Json& annotations) {
  const Json status = json_or_null(text_in(annotations, "baremetalhost.metal3.io/status"));
  return text_in(object_member(status, "provisioning"), "state");
}

bool may_none_boot(const Json& interfaces) {
  return !interfaces.empty() && std::ranges::all_of(interfaces, [](const Json& interface) {
    return text_in(object_member(interface, "netboot"), "allowPXE") == "false";
  });
}

}  // namespace

std::string metal3_use(const Json& host) {
  const Json& spec = object_member(host, "spec");
  const Json& annotations = object_member(object_member(host, "metadata"), "annotations");
  const std::string state = text_in(object_member(object_member(host, "status"), "provisioning"), "state");
  if (!is_among(state, k_idle_in_metal3)) return cat("status.provisioning.state ", state);
  const std::string kept = annotated_state(annotations);
  if (!is_among(kept, k_idle_in_metal3)) return cat("the annotation baremetalhost.metal3.io/status, ", kept, ",");
  if (annotations.contains("baremetalhost.metal3.io/detached"))
    return "the annotation baremetalhost.metal3.io/detached";
  if (text_in(spec, "externallyProvisioned") == "true") return "spec.externallyProvisioned";
  const Json& consumer = object_member(spec, "consumerRef");
  if (!consumer.empty()) return cat("spec.consumerRef ", text_in(consumer, "name"));
  for (const char* key : {"image", "customDeploy"}) {
    if (!object_member(spec, key).empty()) return cat("spec.", key);
  }
  return "";
}

std::string tinkerbell_use(const Json& hardware) {
  const Json& about = object_member(hardware, "metadata");
  const Json& spec = object_member(hardware, "spec");
  const std::string owner = text_in(object_member(about, "labels"), "v1alpha1.tinkerbell.org/ownerName");
  if (!owner.empty()) return cat("the label v1alpha1.tinkerbell.org/ownerName ", owner);
  if (text_in(object_member(about, "annotations"), "v1alpha1.tinkerbell.org/provisioned") == "true")
    return "the annotation v1alpha1.tinkerbell.org/provisioned";
  constexpr std::array<std::string_view, 4> k_used = {"provisioned", "in_use", "active", "deployed"};
  const Json& metadata = object_member(spec, "metadata");
  const std::string state = text_in(metadata, "state");
  if (is_among(to_lower(state), k_used)) return cat("spec.metadata.state ", state);
  const std::string instance = text_in(object_member(metadata, "instance"), "state");
  if (is_among(to_lower(instance), k_used)) return cat("spec.metadata.instance.state ", instance);
  return may_none_boot(list_member(spec, "interfaces")) ? "spec.interfaces[].netboot.allowPXE false" : "";
}

std::string maas_use(const Json& machine) {
  const std::string state = text_in(machine, "status_name");
  return is_among(to_lower(state), k_idle_in_maas) ? "" : cat("status_name ", state, meant_state_of_maas(state));
}

std::string netbox_use(const Json& row) {
  constexpr std::array<std::string_view, 3> k_idle = {"", "planned", "staged"};
  const std::string status = text_in(row, "status");
  return is_among(to_lower(status), k_idle) ? "" : cat("status ", status);
}

std::string take_ironic_use(Json& node) {
  std::string use;
  for (const char* key :
       {"provision_state", "target_provision_state", "instance_uuid", "allocation_uuid", "protected"}) {
    const std::string value = text_in(node, key);
    const bool is_state = std::string_view(key).ends_with("_state");
    const bool is_idle = is_state ? is_among(to_lower(value), k_idle_in_ironic) || value == "None" : value == "false";
    if (use.empty() && !value.empty() && !is_idle) use = cat(key, " ", value);
    node.erase(key);
  }
  return use;
}

}  // namespace hearth::bootstrap
