// The agent of the deploy ramdisk: tells the conductor that this machine is there, and does what it says.
#pragma once

#include "agent/deploy/kernel_line.hpp"
#include "agent/deploy/orders.hpp"
#include "agent/deploy/protocol/conductor.hpp"

namespace hearth::agent::deploy {

class Agent {
 public:
  Agent(const Settings& settings, OrderWorld& world) : settings_(settings), world_(world) {}

  /// Until the conductor ends it: inspection, look-up, heartbeats, orders. Throws Error when no conductor knows this
  /// machine within the look-up's time.
  [[nodiscard]] Ending run();

 private:
  void inspect();
  /// One try; true when there is no need for another.
  [[nodiscard]] bool report(const Json& data);
  [[nodiscard]] LookedUp find_conductor();
  [[nodiscard]] std::vector<std::string> macs();
  [[nodiscard]] Trust trust() const { return {!settings_.insecure, "", settings_.api_pin}; }
  void serve(const LookedUp& found);
  void beat_until_ended(const Conductor::Heartbeat& beat, const LookedUp& found);
  void wake();
  /// False when woken before the time is over.
  bool wait(Duration duration);

  const Settings& settings_;
  OrderWorld& world_;
  std::optional<Conductor> conductor_;
  Session session_;
  std::mutex lock_;
  std::condition_variable changed_;
  bool woken_ = false;
  Json unreported_;  ///< the inspection, while nobody has taken it; null = that is done
};

/// The address of this machine from which `url` is reached, as a URL has it; empty when there is none.
[[nodiscard]] std::string address_towards(const Url& url, const Clock& clock);

/// What the inspection reports: inventory, root disk, boot interface (ironic-python-agent's inspection data).
[[nodiscard]] Json inspection_data(Machine& machine, const std::string& boot_mac);

}  // namespace hearth::agent::deploy
