// What can be known to be wrong with a planned disk before the first hook runs: programs that are missing, words that
// they refuse, something else in an output's place.
#pragma once

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/plan/disk_plan.hpp"

namespace hearth::builder {

/// Throws Error(unsupported) naming the Debian package of a tool that an output type or the boot loader needs.
void check_tools(const DiskPlan& disk, const ImageRequest& request, const Environment& environment);
/// Tries what the user or a layout gave for mkfs and qemu-img on an empty file below `scratch`: to be told of a wrong
/// word before the first hook, not after the last. Throws Error(usage).
void check_options(const DiskPlan& disk, const ImageRequest& request, CommandRunner& runner, const fs::path& scratch);
/// Throws Error(input) where something else than an earlier output is in an output's place.
void check_places(const DiskPlan& disk, const ImageRequest& request);

}  // namespace hearth::builder
