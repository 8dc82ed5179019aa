#pragma once

#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {

/// What an appliance needs on this machine, as far as it can be seen without starting one: supermin, QEMU, a kernel
/// that this user may read. Throws Error(not_found) naming everything that is missing and what to install. `root` is
/// the machine's root, for tests.
void check_appliance(const Environment& env, const fs::path& root = "/");

}  // namespace hearth::builder
