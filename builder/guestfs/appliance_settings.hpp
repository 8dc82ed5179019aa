#pragma once

#include <functional>
#include <string_view>

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "builder/guestfs/appliance.hpp"

namespace hearth::builder {

/// Where the appliance is kept: a directory that holds nothing else, in LIBGUESTFS_CACHEDIR or else in `cache`.
[[nodiscard]] fs::path appliance_directory(const Environment& env, const fs::path& cache);

/// How an appliance is to be started under this environment: LIBGUESTFS_CACHEDIR, LIBGUESTFS_PATH, LIBGUESTFS_HV and
/// force_tcg in LIBGUESTFS_BACKEND_SETTINGS are minded. Its directory is made; KVM is used where it really runs a
/// guest.
[[nodiscard]] ApplianceSettings appliance_settings(const Environment& env, const fs::path& cache,
                                                   const fs::path& scratch, const Clock& clock);

/// Starts appliances with these settings.
[[nodiscard]] StartGuest appliance_starter(ApplianceSettings settings);

/// Where the built appliance is kept for commands outside a build: DIB_IMAGE_CACHE, else ~/.cache/image-create.
[[nodiscard]] fs::path image_cache(const Environment& env);

}  // namespace hearth::builder
