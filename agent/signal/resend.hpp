// Sending again what could not be delivered before.
#pragma once

#include "agent/signal/journal.hpp"

namespace hearth::agent {

struct ResendWorld {
  FileSystem& files;
  Logger& log;
  DeliveryWorld delivery;
};

/// The lock that whoever changes something in `deployed` holds: beside it, since it may not be there yet.
[[nodiscard]] fs::path deployed_lock(const fs::path& deployed);

/// Makes one attempt (of at most 10 s) for every pending signal in `deployed` that is due, for 30 s in all, and turns
/// the records of hooks whose process is gone into signals. Returns how many are still pending. Meant to be called
/// between polls: failures are logged and noted, never thrown.
int resend_pending_signals(const ResendWorld& world, const fs::path& deployed);

/// The same with the real network and files; `deployed` by $HEAT_CONFIG_DEPLOYED or its default. While a heat-config
/// runs nothing is done.
int resend_pending_signals(Logger& log);

}  // namespace hearth::agent
