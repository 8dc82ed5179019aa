// Who may use the orchestration API: people by their tokens, agents by the tokens that the small Keystone gives them
// for the key pair in their metadata. An agent's token opens its own resource only.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "metadata/engine/engine.hpp"
#include "metadata/rest/token_book.hpp"

namespace hearth::metadata::live {

struct AccessPolicy {
  const TokenBook* tokens = nullptr;  ///< in X-Auth-Token, or as the password of Basic credentials
  bool trust_loopback = false;        ///< requests from this machine need no token
  /// Reads `tokens` again where they are others by now; may be empty. Asked where nobody knows a token: whoever has
  /// just made one may use it at once.
  std::function<void()> read_again{};
};

struct Caller {
  std::string principal;  ///< for the audit log: "token NAME", "loopback", "agent KEY"
  Right right = Right::reads;
  std::string project;   ///< that they may be in; empty = each
  std::string key_id{};  ///< an agent's, which opens its own resource and nothing else
  [[nodiscard]] bool is_agent() const { return !key_id.empty(); }
};

/// Nothing for whoever has no valid token.
[[nodiscard]] std::optional<Caller> identify(const ServedRequest& request, const AccessPolicy& policy,
                                             const Engine& engine, std::int64_t now);

}  // namespace hearth::metadata::live
