// libguestfs, loaded when it is first asked for: most commands never need it, and hearth must start without it,
// quickly. The C interface is guestfs(3).
#pragma once

#include <guestfs.h>

#include <string>

namespace hearth::builder {

/// The functions that we use, by their names in the library without the prefix guestfs_.
struct GuestLibrary {
#define HEARTH_GUESTFS_FUNCTION(name) \
  decltype(&::guestfs_##name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): a declaration
#include "builder/guestfs/guest_functions.inc"
#undef HEARTH_GUESTFS_FUNCTION

  /// Loads the library (once). Throws Error(not_found), saying what to install, when it isn't there.
  [[nodiscard]] static const GuestLibrary& get(const std::string& file = "libguestfs.so.0");
};

}  // namespace hearth::builder
