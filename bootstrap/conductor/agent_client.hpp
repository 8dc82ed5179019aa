// The deploy ramdisk's own REST interface, as the conductor uses it: ironic-python-agent's commands. AgentClient is the
// seam; HttpAgentClient the real one. Called from worker threads.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/net/http.hpp"
#include "base/path.hpp"
#include "bootstrap/conductor/flow.hpp"

namespace hearth::bootstrap {

struct AgentAddress {
  std::string url;  ///< the callback_url of its heartbeats
  std::string token;
  std::string ca_file;  ///< PEM file of exactly the certificate to trust; empty for plain HTTP
};

class AgentFault : public Error {
 public:
  enum class Reason { unreachable, busy, refused, failed };
  AgentFault(Reason reason, std::string text) : Error(ErrorKind::external, std::move(text)), reason_(reason) {}
  [[nodiscard]] Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

class AgentClient {
 public:
  virtual ~AgentClient() = default;
  /// The agent's commands, oldest first. Throws AgentFault.
  [[nodiscard]] virtual Json commands(const AgentAddress& agent) = 0;
  /// Gives an order; the command's record ("id", "command_status", …). Throws AgentFault.
  virtual Json run(const AgentAddress& agent, const Order& order) = 0;
};

class HttpAgentClient final : public AgentClient {
 public:
  /// `patience` is for one request; the agent answers an order with `wait` when it has done it. `http` must take
  /// requests of several threads at once; null: a client of its own for each. While `rests` says so no agent is asked.
  HttpAgentClient(const Clock& clock, Duration patience, HttpClient* http = nullptr, std::function<bool()> rests = {})
      : clock_(clock), patience_(patience), http_(http), rests_(std::move(rests)) {}
  [[nodiscard]] Json commands(const AgentAddress& agent) override;
  Json run(const AgentAddress& agent, const Order& order) override;

 private:
  [[nodiscard]] Json send(const AgentAddress& agent, const std::string& method, const std::string& target,
                          const std::string& body) const;
  const Clock& clock_;
  Duration patience_;
  HttpClient* http_;
  std::function<bool()> rests_;
};

/// "command_status" and, of a failed command, what it says: its error's message and details.
[[nodiscard]] std::string command_status(const Json& record);
[[nodiscard]] std::string command_error(const Json& record);

}  // namespace hearth::bootstrap
