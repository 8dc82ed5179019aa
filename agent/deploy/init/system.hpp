// What process 1 has to do before anything else works.
#pragma once

namespace hearth::agent::deploy {

/// Mounts /proc, /sys, /dev, /dev/pts, /run, /tmp and, where there is UEFI, its variables; what is mounted already
/// stays.
void mount_system();
/// Standard input, output and errors become the console.
void open_console();
/// UEFI's variables, once their module is there.
void mount_efi_variables();

}  // namespace hearth::agent::deploy
