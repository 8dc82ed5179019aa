// The real clock, files and network together, for the programs' edges.
#pragma once

#include <cstdint>

#include "agent/signal/delivery.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

inline constexpr std::string_view k_deployed_directory = "/var/lib/heat-config/deployed";

/// A number in [0, 1).
[[nodiscard]] double random_fraction();

struct RealSignalWorld {
  SystemClock clock;
  RealFileSystem files;
  WebClient http{clock, current_environment(), "hearth-agent/" HEARTH_VERSION};

  [[nodiscard]] DeliveryWorld delivery() { return {http, clock, random_fraction}; }
};

}  // namespace hearth::agent
