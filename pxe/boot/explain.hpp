// What a machine would be given and why, and what it was given: for people. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pxe/boot/node_table.hpp"
#include "pxe/boot/site.hpp"

namespace hearth::pxe {

/// For each kind of firmware the boot offer, then the script that iPXE would get.
[[nodiscard]] std::string explain(const Site& site, const NodeBook& nodes, const Mac& mac);

/// The lines of an event file (pxe/metrics.hpp) that concern a machine: those with one of its MACs, and those of the
/// addresses that it had then. Lines that are no events are left out.
[[nodiscard]] std::vector<std::string> boot_events(std::string_view events, const std::vector<Mac>& macs);
/// Such lines for people.
[[nodiscard]] std::string boot_log(const std::vector<std::string>& events);

}  // namespace hearth::pxe
