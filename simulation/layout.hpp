// What a played site is made of: its network, its machines, how large their image is. Drawn from a seed, or a person's
// own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/site/site_file.hpp"
#include "pxe/boot/site.hpp"

namespace hearth::simulation {

struct MachineLayout {
  std::string name;
  std::string mac;
  std::optional<bool> uefi{};  ///< nothing: drawn
  std::string address{};       ///< fixed; empty: from the pool
};

struct Layout {
  pxe::Network network;
  pxe::UnknownPolicy unknown = pxe::UnknownPolicy::local;
  std::vector<MachineLayout> machines;
  std::uint64_t image_bytes = std::uint64_t{2} << 30U;
  std::uint64_t link = 0;  ///< bytes a second, which all machines that fetch their image share; 0: no limit

  [[nodiscard]] std::string server() const { return pxe::to_text(network.server); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// How many addresses machines may get.
  [[nodiscard]] std::uint64_t pool() const;
  /// Where the BMC of a machine answers (a site has 200 machines at most), the conductor's other face, and a person: in
  /// networks that the site's own is not.
  [[nodiscard]] std::string bmc(std::size_t number) const;
  [[nodiscard]] std::string people() const;
  [[nodiscard]] std::string person() const;
};

/// More have no address in a site that is drawn: its pool has a hundred.
constexpr std::size_t k_most_drawn_machines = 90;
/// A pool that is hardly larger than the site, and leases that end soon: addresses come to be used again.
[[nodiscard]] Layout drawn_layout(std::uint64_t seed, std::size_t machines);

/// A person's site. What can't be played as it is goes to `notes`, a line each. Throws Error where nothing can be.
[[nodiscard]] Layout layout_of(const bootstrap::SiteFile& site, std::uint64_t link, std::vector<std::string>& notes);
}  // namespace hearth::simulation
