// Who may use the orchestration API: people by one token, agents by the tokens that the small Keystone gives them for
// the key pair in their metadata. An agent's token opens its own resource only.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "metadata/engine/engine.hpp"

namespace hearth::metadata::live {

struct AccessPolicy {
  std::string admin_token;      ///< in X-Auth-Token, or as the password of Basic credentials; empty = nobody has it
  bool trust_loopback = false;  ///< requests from this machine need no token
};

struct Caller {
  bool is_admin = false;
  std::string key_id;  ///< an agent's
};

/// Nothing for whoever has no valid token.
[[nodiscard]] std::optional<Caller> identify(const ServedRequest& request, const AccessPolicy& policy,
                                             const Engine& engine, std::int64_t now);

}  // namespace hearth::metadata::live
