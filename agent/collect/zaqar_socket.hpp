// A Zaqar queue over its WebSocket (https://docs.openstack.org/zaqar/latest/user/send_request_api.html): requests and
// answers are JSON texts {"action", "headers", "body"} and {"headers": {"status"}, "body"}.
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/net/web_socket.hpp"

namespace hearth::agent {

struct ZaqarAccess {
  std::string token;
  std::string project;
  std::string client;  ///< a UUID
  std::string queue;
};

/// The body of the queue's first message, or else of the first that arrives before the deadline; nothing when none
/// does. Throws Error: io as the stream does, external when Zaqar refuses a step.
[[nodiscard]] std::optional<Json> pop_by_socket(MessageStream& stream, const ZaqarAccess& access, const Clock& clock,
                                                const Deadline& deadline);

}  // namespace hearth::agent
