// Where a deployment's signal goes, read from its inputs, and what its body is. Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/net/keystone.hpp"

namespace hearth::agent {

/// CFN_SIGNAL and TEMP_URL_SIGNAL: a signed URL.
struct UrlSignal {
  std::string url;
  std::string method;  ///< PUT or POST
};
/// HEAT_SIGNAL: the resource's signal address in Heat's API.
struct HeatSignal {
  KeystoneCredentials credentials;
  std::string region;
  std::string stack_id;  ///< "name/uuid", or a uuid that has to be looked up
  std::string resource_name;
};
/// ZAQAR_SIGNAL: a message in a queue.
struct ZaqarSignal {
  KeystoneCredentials credentials;
  std::string region;
  std::string queue_id;
};
using SignalTarget = std::variant<UrlSignal, HeatSignal, ZaqarSignal>;

/// The value of the input of that name as text; empty when it is missing, null or has no value.
[[nodiscard]] std::string input_text(const Json& deployment, const std::string& name);

/// All targets that the inputs name (mostly one; none for NO_SIGNAL).
[[nodiscard]] std::vector<SignalTarget> signal_targets(const Json& deployment);

/// Heat takes bodies up to 1 MiB; this leaves room for the rest of the request.
constexpr std::size_t k_signal_body_limit = 950'000;

/// The one-line JSON of `data`. When it is over `limit` bytes, deploy_stdout and deploy_stderr lose their beginnings,
/// each in proportion to its length, until it fits: the end of a log tells what failed.
[[nodiscard]] std::string signal_body(Json data, std::size_t limit = k_signal_body_limit);

}  // namespace hearth::agent
