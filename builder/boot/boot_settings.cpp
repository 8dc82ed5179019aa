#include "builder/boot/boot_settings.hpp"

#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::builder {

namespace {

/// For those where nothing means the default.
std::string chosen(const Environment& env, const std::string& name, const std::string& fallback) {
  const std::string value = variable(env, name);
  return value.empty() ? fallback : value;
}

}  // namespace

BootOptions boot_settings(const Environment& env, std::int64_t epoch) {
  BootOptions options{.epoch = epoch};
  if (const auto timeout = parse_number(variable(env, "DIB_GRUB_TIMEOUT")))
    options.timeout = static_cast<int>(*timeout);
  options.consoles = {variable(env, "DIB_BOOTLOADER_VIRTUAL_TERMINAL", "tty0")};
  if (to_lower(variable(env, "DIB_BOOTLOADER_USE_SERIAL_CONSOLE", "True")) == "true") {
    options.consoles.push_back(variable(env, "DIB_BOOTLOADER_SERIAL_CONSOLE", "ttyS0,115200"));
  }
  options.extra_command_line = variable(env, "DIB_BOOTLOADER_DEFAULT_CMDLINE");
  options.loader = parse_loader(chosen(env, "DIB_BOOTLOADER", "grub"));
  options.root = parse_root_name(chosen(env, "DIB_BOOTLOADER_ROOT", "uuid"));
  return options;
}

}  // namespace hearth::builder
