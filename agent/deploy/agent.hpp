// The agent of the deploy ramdisk: tells the conductor that this machine is there, and does what it says.
#pragma once

#include "agent/deploy/ground/kernel_line.hpp"
#include "agent/deploy/orders.hpp"
#include "agent/deploy/protocol/conductor.hpp"
#include "agent/deploy/surroundings.hpp"

namespace hearth::agent::deploy {

class Agent {
 public:
  Agent(const Settings& settings, OrderWorld& world, Surroundings& surroundings)
      : settings_(settings), world_(world), surroundings_(surroundings) {}

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
  /// How far the image is and who was at fault; and whom to ask from now on.
  void report_writing(const Conductor::Heartbeat& beat, const std::string& progress_url);
  void beat_until_ended(const Conductor::Heartbeat& beat, const LookedUp& found);

  const Settings& settings_;
  OrderWorld& world_;
  Surroundings& surroundings_;
  std::optional<Conductor> conductor_;
  Session session_;
  Json unreported_;  ///< the inspection, while nobody has taken it; null = that is done
};

/// What the inspection reports: inventory, root disk, boot interface (ironic-python-agent's inspection data).
[[nodiscard]] Json inspection_data(Machine& machine, const std::string& boot_mac);

}  // namespace hearth::agent::deploy
