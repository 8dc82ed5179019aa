// The words that every QEMU machine of ours begins with: no screen, its monitor and console as files in its directory.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::bootstrap {

/// Of the serial line, in QEMU's monitor.
inline constexpr const char* k_console_label = "console";

struct HeadlessMachine {
  std::string name;
  std::string accelerator = "tcg";
  std::string cpus = "1";
  std::string memory_mib = "1024";
  fs::path home;              ///< gets qmp, console.log and, in the background, pid
  bool background = false;    ///< QEMU goes there itself when the machine is ready to start
  bool open_console = false;  ///< home/console is a socket to it besides
  bool uefi = false;          ///< OVMF, with its variables in home/vars.fd
};

/// The command's beginning, "qemu-system-x86_64" first.
[[nodiscard]] std::vector<std::string> headless_command(const HeadlessMachine& machine);

/// A value within one of QEMU's options: a comma in it is written twice.
[[nodiscard]] std::string qemu_escaped(const std::string& value);

}  // namespace hearth::bootstrap
