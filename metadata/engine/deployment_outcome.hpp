// What a signal says about a deployment. Pure; the rules are Heat's.
#pragma once

#include <optional>

#include "base/json.hpp"

namespace hearth::metadata::live {

struct DeploymentOutcome {
  bool failed = false;
  std::string reason;  ///< "Outputs received", or why it failed
  std::string note;    ///< behind "Signal: deployment ID ": "succeeded", "failed (3)", "failed"
  Json output_values;  ///< declared outputs that came, and deploy_stdout, deploy_stderr, deploy_status_code
};

/// `outputs`: the declared ones, [{name, error_output, …}]. Undeclared keys of the signal are dropped. It failed when
/// deploy_status_code is there and not 0, or when an error output is there.
[[nodiscard]] DeploymentOutcome deployment_outcome(const Json& outputs, const Json& signal);

/// A signal to a wait condition's handle: exactly the keys status, reason, data, id (AWS: Status, Reason, Data,
/// UniqueId), all optional. Nothing when it is anything else.
struct WaitSignal {
  std::string id;
  std::string status;
  std::string reason;
  Json data;
};
[[nodiscard]] std::optional<WaitSignal> parse_wait_signal(const Json& signal, std::size_t number);

}  // namespace hearth::metadata::live
