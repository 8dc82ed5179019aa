// Root device hints: which of the disks the operating system is for. Names and operators are ironic's ("Specifying the
// disk for deployment" in its documentation). Different on purpose: what matches nothing, or several disks where it
// should tell one, is an error and never falls back to another disk.
#pragma once

#include <string>
#include <vector>

#include "agent/deploy/hardware/disks.hpp"

namespace hearth::agent::deploy {

/// The disk that the hints (properties.root_device, an object) name; without hints the smallest of at least 4 GiB, the
/// first by name where several are as small. One that is in use or removable is never taken. Throws Error(input).
[[nodiscard]] Disk choose_root_device(const std::vector<Disk>& disks, const Json& hints);

/// Whether one hint holds: `wanted` may begin with an operator (=, ==, !=, >=, <=, >, <, s==, s!=, s<, s<=, s>, s>=,
/// <in>, <all-in>, <or>). `=` means at least for numbers. Texts are compared without case.
[[nodiscard]] bool hint_holds(std::string_view wanted, std::string_view actual, bool number);

}  // namespace hearth::agent::deploy
