// A rehearsed machine as a QEMU command line. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"
#include "bootstrap/rehearse/rack.hpp"
#include "bootstrap/site/site_file.hpp"

namespace hearth::bootstrap {

/// What a machine of the rehearsal is started with, besides what it is.
struct MachineSetting {
  fs::path home;  ///< its files: monitor, console, console.log, disk.qcow2, vars.fd, frames
  std::string accelerator = "tcg";
  std::string tap;         ///< its card's end in the bridge
  bool relayed = false;    ///< frames go through a relay (lossy_link.hpp) in place of the tap
  bool dead_disk = false;  ///< writes fail
  std::string ssh_key;     ///< root of its system lets in, by systemd's credentials; empty = none
};

/// Boots what `boot` says, else from the network first and then from its disk, as machines are set up that are to be
/// deployed.
[[nodiscard]] std::vector<std::string> machine_command(const BlankMachine& machine, const MachineSetting& setting,
                                                       const BootOverride& boot);

}  // namespace hearth::bootstrap
