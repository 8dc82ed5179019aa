// What the seed of a site is told: the boot servers' site, its metadata, its virtual machine. Pure.
#pragma once

#include <optional>

#include "base/json.hpp"
#include "bootstrap/site/boot_site.hpp"

namespace hearth::bootstrap {

/// The cards of the seed's virtual machine: the first for people, behind NAT; the second in the provisioning network.
struct SeedCards {
  std::string management;
  std::string provisioning;
};
/// From the seed's address, so that seeds of different sites have different ones.
[[nodiscard]] SeedCards seed_cards(const SiteFile& site);

/// The document that is baked into the seed's image: element boot-stack tells its keys.
[[nodiscard]] Json seed_metadata(const SiteFile& site, const SeedCards& cards, const std::string& token);

/// The seed as a virtual machine of this computer.
struct SeedMachine {
  fs::path image;   ///< its disk; it is written to
  fs::path home;    ///< where its monitor, console and pid are
  fs::path images;  ///< a squashfs file with images for machines; empty = none
  std::string tap;
  SeedCards cards;
  std::string accelerator = "tcg";
  std::uint64_t memory_mib = 768;
  unsigned cpus = 1;
  bool disposable = false;       ///< its disk may be lost with this computer's current: nothing waits for it
  std::uint16_t first_port = 0;  ///< of this computer, for the services' ports; 0 = the same numbers as in the seed
};
/// The services' ports in the seed that people reach through this computer's loopback.
[[nodiscard]] const std::vector<std::uint16_t>& seed_ports();
/// Where one of them is found on this computer.
[[nodiscard]] std::uint16_t forwarded_port(const SeedMachine& machine, std::uint16_t port);
[[nodiscard]] std::vector<std::string> seed_command(const SeedMachine& machine);

}  // namespace hearth::bootstrap
