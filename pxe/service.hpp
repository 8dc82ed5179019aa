// `hearth pxe serve`: DHCP, TFTP and HTTP boot of one site in one process, each in a thread of its own.
#pragma once

#include <string>

#include "base/log.hpp"
#include "pxe/boot/site.hpp"

namespace hearth::pxe {

struct ServiceOptions {
  std::string site_file;
  std::string user;                        ///< to become when the ports are open; empty = stay
  bool force = false;                      ///< start although other DHCP servers answer or boot files are missing
  std::uint64_t http_rate = 0;             ///< bytes a second in all; 0 = without limit
  std::uint64_t http_rate_per_client = 0;  ///< bytes a second of one connection
};

/// Reads a site file. Throws Error with all that is wrong.
[[nodiscard]] Site load_site(const std::string& path);

/// Serves until SIGINT or SIGTERM; SIGHUP reads the site file again. Returns the exit code. Throws Error when it can't
/// start.
int serve(const ServiceOptions& options, Logger& logger);

}  // namespace hearth::pxe
