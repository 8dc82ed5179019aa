// `hearth pxe serve`: the boot servers of a site file, as a program: signals, and rights given up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "pxe/boot/site.hpp"
#include "pxe/boot_servers.hpp"

namespace hearth::pxe {

/// Whether this machine serves the site, or only looks into its file: then it need not have the seed's card.
enum class SiteUse { serves, looks };
/// What reads a site file: others may know further forms of it. Throws Error with all that is wrong.
using SiteLoader = std::function<Site(const std::string& path, SiteUse use)>;

struct ServiceOptions {
  std::string site_file;
  SiteLoader load;
  std::string user;  ///< RightsWish::user
  BootOptions boot;
};

/// What is read when machines ask, and at a reload.
[[nodiscard]] std::vector<std::string> needed_files(const Site& site, const std::string& site_file);

/// Serves until SIGINT or SIGTERM; SIGHUP reads the site file again. Returns the exit code. Throws Error when it can't
/// start.
int serve(const ServiceOptions& options, Logger& logger);

}  // namespace hearth::pxe
