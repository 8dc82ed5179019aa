// os-net-config from its options to its exit code: the sections of the file in their order.
#pragma once

#include "agent/net/apply.hpp"
#include "agent/net/options.hpp"

namespace hearth::agent::net {

/// The bits of --detailed-exit-codes. os-net-config's 256 for a failed validation does not fit an exit code and reads
/// as success there; here that is an error like any other.
enum ExitBit : int {
  k_error = 1,
  k_files_changed = 2,
  k_network_failed = 4,
  k_fallback_failed = 8,
  k_minimum_failed = 16,
  k_remove_failed = 32,
  k_purge_failed = 64,
};

/// The exit code for a sum of bits.
[[nodiscard]] int exit_code(int bits, bool detailed);

/// Does what the options say and returns the exit code. Failures are logged, not thrown.
int run_net_config(const NetOptions& options, World& world);

}  // namespace hearth::agent::net
