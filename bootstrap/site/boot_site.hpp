// A site file for the boot servers: as the document that pxe reads, and as the site that `--boot` and `hearth pxe`
// take.
#pragma once

#include "base/json.hpp"
#include "bootstrap/site/site_file.hpp"
#include "pxe/boot/site.hpp"
#include "pxe/service.hpp"

namespace hearth::bootstrap {

/// The site for `hearth node serve --boot` (pxe/README.md). `interface` is the one into the provisioning network. Pure.
[[nodiscard]] Json boot_site(const SiteFile& site, const std::string& interface, const std::string& state_directory);

/// Whether a file is a site file (YAML), and no document of pxe's own (JSON).
[[nodiscard]] bool is_site_file_name(const std::string& path);

/// The boot servers' site, from a site file or from a document of pxe's own. `state_directory`: for leases and events,
/// where the file does not say. Throws Error with all that is wrong.
[[nodiscard]] pxe::Site load_boot_site(const std::string& path, const std::string& state_directory,
                                       pxe::SiteUse use = pxe::SiteUse::serves);

}  // namespace hearth::bootstrap
