// `hearth pxe serve`: the boot servers of a site file, as a program: signals, and rights given up.
#pragma once

#include <string>

#include "base/log.hpp"
#include "pxe/boot/site.hpp"
#include "pxe/boot_servers.hpp"

namespace hearth::pxe {

struct ServiceOptions {
  std::string site_file;
  std::string user;  ///< to become when the ports are open; empty = stay
  BootOptions boot;
};

/// Reads a site file. Throws Error with all that is wrong.
[[nodiscard]] Site load_site(const std::string& path);

/// Serves until SIGINT or SIGTERM; SIGHUP reads the site file again. Returns the exit code. Throws Error when it can't
/// start.
int serve(const ServiceOptions& options, Logger& logger);

}  // namespace hearth::pxe
