// Sending one signal: one attempt, and the patient way with pauses in between.
#pragma once

#include <functional>
#include <string>

#include "agent/signal/target.hpp"
#include "base/clock.hpp"
#include "base/net/http.hpp"

namespace hearth::agent {

enum class Delivery {
  delivered,
  later,    ///< no answer, or one that may be better next time (5xx, 408, 425, 429, 401, 403)
  refused,  ///< the server will not take it, ever (404 and the other 4xx), or the target itself is wrong
};

struct DeliveryResult {
  Delivery outcome = Delivery::delivered;
  std::string reason;  ///< for people; without secrets
  bool soon = true;    ///< of later: another try within minutes may do, as it won't for a wrong certificate or region
};

struct DeliveryWorld {
  HttpClient& http;
  Clock& clock;
  std::function<double()> random;  ///< in [0, 1), for jitter
};

/// Tries every target of the deployment once, in order, and stops at the first that fails.
[[nodiscard]] DeliveryResult attempt_delivery(const Json& deployment, const Json& data, const DeliveryWorld& world,
                                              Duration patience);

struct RetryPolicy {
  int retries = 10;
  Duration longest_pause = std::chrono::seconds(120);
  Duration longest_attempt = std::chrono::seconds(60);
  Duration total = std::chrono::seconds(120);  ///< no new attempt begins after this
};

/// The pause before retry `n` (1, 2, …): none, then 1, 2, 4… seconds up to the longest, each shortened by up to a
/// quarter so that many servers don't come back in step.
[[nodiscard]] Duration pause_before(int n, const RetryPolicy& policy, double random);

/// Repeats attempts while they may succeed soon.
[[nodiscard]] DeliveryResult deliver(const Json& deployment, const Json& data, const DeliveryWorld& world,
                                     const RetryPolicy& policy);

}  // namespace hearth::agent
