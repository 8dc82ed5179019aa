// How signals reach deployments, handles and wait conditions.
#include "base/text.hpp"
#include "metadata/engine/deployment_outcome.hpp"
#include "metadata/engine/stack_machine.hpp"

namespace hearth::metadata::live {

SignalOutcome StackMachine::signal(std::size_t index, const Json& body) {
  ResourceRecord& resource = tree_.own_resource(index);
  const auto hook = body.find("unset_hook");
  if (hook != body.end()) return release(index, hook->is_string() ? hook->get<std::string>() : "");
  if (resource.role == Role::wait_handle) {
    SignalOutcome outcome = signal_handle(index, body);
    run();
    return outcome;
  }
  if (resource.role != Role::deployment) {
    return {SignalOutcome::Kind::bad, cat("The resource ", resource.name, " takes no signals")};
  }
  changes_.resources.insert(index);
  if (resource.deployment.status != Status::in_progress) {
    record(tree_.own_stack(resource.stack), &resource, cat("SIGNAL_", word(resource.status)), "Unknown");
    return {};
  }
  signal_deployment(index, body);
  run();
  return {};
}

void StackMachine::signal_deployment(std::size_t index, const Json& body) {
  ResourceRecord& resource = tree_.own_resource(index);
  DeploymentOutcome outcome = deployment_outcome(resource.deployment.outputs, body);
  resource.deployment.status = outcome.failed ? Status::failed : Status::complete;
  resource.deployment.reason = outcome.reason;
  resource.deployment.output_values = std::move(outcome.output_values);
  record(tree_.own_stack(resource.stack), &resource, cat("SIGNAL_", word(resource.status)),
         cat("Signal: deployment ", resource.physical_id, " ", outcome.note));
  if (!outcome.failed) return complete(index);
  fail_with(index, "Error", cat("Deployment to server failed: ", outcome.reason));
}

SignalOutcome StackMachine::signal_handle(std::size_t index, const Json& body) {
  ResourceRecord& handle = tree_.own_resource(index);
  Json& signals = handle.data.signals;
  const std::optional<WaitSignal> signal = parse_wait_signal(body, signals.size() + 1);
  if (!signal) return {SignalOutcome::Kind::bad, "Metadata format invalid"};
  Json entry = Json::object();
  entry["status"] = signal->status;
  entry["reason"] = signal->reason;
  entry["data"] = signal->data;
  signals[signal->id] = std::move(entry);
  changes_.resources.insert(index);
  record(tree_.own_stack(handle.stack), &handle, cat("SIGNAL_", word(handle.status)),
         cat("Signal: status:", signal->status, " reason:", signal->reason));
  for (std::size_t i = 0; i < tree_.resources().size(); ++i) {
    const ResourceRecord& other = tree_.resource(i);
    const bool is_ours = other.role == Role::wait_condition && !other.gone && other.data.handle == handle.path;
    if (!is_ours) continue;
    // Heat keeps no copy of `data`: a signal that nobody waited for is seen as well.
    other.status == Status::in_progress ? check_wait(i) : tell(i);
  }
  return {};
}

/// Completes or fails a wait condition when its handle has got enough signals.
void StackMachine::check_wait(std::size_t index) {
  const ResourceRecord& condition = tree_.resource(index);
  const std::size_t handle = tree_.find_path(condition.data.handle);
  if (handle == k_none || condition.status != Status::in_progress) return;
  const Json& signals = tree_.resource(handle).data.signals;
  std::vector<std::string> failures;
  for (const auto& [id, signal] : signals.items()) {
    if (signal.value("status", "") == "FAILURE") failures.push_back(signal.value("reason", ""));
  }
  if (!failures.empty()) return fail_with(index, "WaitConditionFailure", join(failures, ";"));
  if (signals.size() >= condition.data.count) complete(index);
}

}  // namespace hearth::metadata::live
