// BootOptions from the environment: upstream's variables of its bootloader element, and ours.
#pragma once

#include "builder/boot/grub.hpp"

namespace hearth::builder {

/// DIB_GRUB_TIMEOUT, DIB_BOOTLOADER_DEFAULT_CMDLINE, _SERIAL_CONSOLE, _USE_SERIAL_CONSOLE and _VIRTUAL_TERMINAL as
/// upstream has them; DIB_BOOTLOADER and DIB_BOOTLOADER_ROOT (loader_kind.hpp). Throws Error(usage) for a wrong value.
[[nodiscard]] BootOptions boot_settings(const Environment& env, std::int64_t epoch);

}  // namespace hearth::builder
