// How long the conductor waits for what, and how much it does at once. A node's driver_info may say otherwise for
// itself: deploy_callback_timeout and so on, in seconds.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

using Seconds = std::chrono::seconds;

struct Settings {
  Seconds deploy_callback_timeout{1800};
  Seconds clean_callback_timeout{1800};
  Seconds inspect_timeout{1800};
  Seconds rescue_callback_timeout{1800};
  Seconds boot_silence_timeout{
      600};  ///< a machine that was not heard of for so long after its start starts again; 0 = never
  int boot_tries = 3;
  Seconds agent_silence_timeout{600};  ///< an agent that has not answered for so long is lost
  Seconds heartbeat_interval{300};     ///< told to agents
  Seconds poll_interval{2};            ///< between looks at an agent's running command
  Seconds power_off_wait{30};          ///< from the agent's power-off to switching it off ourselves
  Seconds retry_interval{5};           ///< between tries of a BMC that doesn't answer
  int retries = 3;
  Seconds power_sync_interval{60};
  int power_sync_retries = 3;
  bool force_power_state = true;   ///< a machine that is on or off against our word is set right
  Seconds reminder_interval{300};  ///< to people who are to switch a machine
  Seconds instruction_time{1800};  ///< what they are given for it
  bool automated_clean = false;
  /// Where machines boot by this conductor's own servers: for which of "deploy", "inspect" and "rescue" they have a
  /// ramdisk for a node that names none. Nothing: other servers boot them.
  std::optional<std::set<std::string>> site_ramdisks;
  bool power_off_after_deploy_failure = true;
  int restarts = 2;  ///< how often a deployment begins again when the machine boots in the middle of it
  std::size_t boots_at_once = 250;
  std::size_t max_concurrent_deploy = 0;  ///< as Ironic's: what is asked for above it is refused; 0 = none
  std::size_t max_concurrent_clean = 0;
  std::int64_t keep_events = 1'000'000;  ///< older ones are forgotten; 0 = none
  bool rehearsal = false;                ///< driver words that act on this machine are taken, too
  std::string host = "hearth";           ///< the conductor's name
};

[[nodiscard]] constexpr Stamp microseconds(Seconds seconds) { return seconds.count() * 1'000'000; }

/// The node's own value of that name, else the usual one.
[[nodiscard]] inline Seconds own_or(const Node& node, const char* name, Seconds usual) {
  const std::string text = node.info(name);
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return usual;
  return Seconds(std::stol(text));
}

}  // namespace hearth::bootstrap
