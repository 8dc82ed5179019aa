// The agent's own REST interface, as ironic-python-agent has it: what each request is answered with.
#pragma once

#include <functional>
#include <string>

#include "agent/deploy/rest/command_board.hpp"
#include "agent/deploy/rest/server.hpp"
#include "base/net/served.hpp"

namespace hearth::agent::deploy {

struct FaceState {
  double started_at = 0;           ///< seconds since 1970
  std::string version;             ///< of this program
  std::string token;               ///< what commands must bring along; empty = the conductor uses none
  std::function<Json()> progress;  ///< ours: shown by /v1/status; may be empty
  std::function<RestAnswer(const ServedRequest&)> give;  ///< ours: frames of an image (spread/giving.hpp)
};

/// May wait as long as a command runs. Never throws.
[[nodiscard]] RestAnswer answer_request(const ServedRequest& request, CommandBoard& board, const FaceState& state);

/// Whether a long body of this request is worth reading: it is a command, and brings the token along.
[[nodiscard]] bool admits_long_body(const ServedRequest& request, const FaceState& state);

/// The values of a query, decoded; the last one of a name counts.
[[nodiscard]] std::map<std::string, std::string> parse_query(std::string_view query);

}  // namespace hearth::agent::deploy
