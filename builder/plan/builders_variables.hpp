// DIB_… that the builder's own code reads, that of disks and boot loaders with it, whatever the elements.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace hearth::builder {

inline constexpr std::array k_builders_variables = {std::string_view("DIB_APT_SOURCES"),
                                                    std::string_view("DIB_APT_SOURCES_CONF"),
                                                    std::string_view("DIB_BLOCK_DEVICE_CONFIG"),
                                                    std::string_view("DIB_BLOCK_DEVICE_PARAMS_YAML"),
                                                    std::string_view("DIB_BLOCK_SIZE"),
                                                    std::string_view("DIB_BOOTLOADER"),
                                                    std::string_view("DIB_BOOTLOADER_DEFAULT_CMDLINE"),
                                                    std::string_view("DIB_BOOTLOADER_ROOT"),
                                                    std::string_view("DIB_BOOTLOADER_SERIAL_CONSOLE"),
                                                    std::string_view("DIB_BOOTLOADER_USE_SERIAL_CONSOLE"),
                                                    std::string_view("DIB_BOOTLOADER_VIRTUAL_TERMINAL"),
                                                    std::string_view("DIB_BOOT_LABEL"),
                                                    std::string_view("DIB_CHECKSUM"),
                                                    std::string_view("DIB_CONTAINER_CONFIG"),
                                                    std::string_view("DIB_DEBUG_TRACE"),
                                                    std::string_view("DIB_DEFAULT_INSTALLTYPE"),
                                                    std::string_view("DIB_DISTRIBUTION_MIRROR"),
                                                    std::string_view("DIB_GRUB_TIMEOUT"),
                                                    std::string_view("DIB_GZIP_BIN"),
                                                    std::string_view("DIB_HEAT_METADATA"),
                                                    std::string_view("DIB_IMAGE_CACHE"),
                                                    std::string_view("DIB_IMAGE_EXTRA_SIZE"),
                                                    std::string_view("DIB_IMAGE_SIZE"),
                                                    std::string_view("DIB_JOURNAL_SIZE"),
                                                    std::string_view("DIB_LOCKFILES"),
                                                    std::string_view("DIB_MANIFEST_IMAGE_DIR"),
                                                    std::string_view("DIB_MIN_TMPFS"),
                                                    std::string_view("DIB_NO_TIMESTAMP"),
                                                    std::string_view("DIB_NO_TMPFS"),
                                                    std::string_view("DIB_OFFLINE"),
                                                    std::string_view("DIB_PYTHON_EXEC"),
                                                    std::string_view("DIB_PYTHON_VERSION"),
                                                    std::string_view("DIB_QUIET"),
                                                    std::string_view("DIB_RELEASE"),
                                                    std::string_view("DIB_ROOT_FSTYPE"),
                                                    std::string_view("DIB_ROOT_LABEL"),
                                                    std::string_view("DIB_SHOW_IMAGE_USAGE"),
                                                    std::string_view("DIB_SHOW_IMAGE_USAGE_FULL")};

/// One of these, or of those that have an element's name in them.
[[nodiscard]] inline bool is_read_by_builder(std::string_view variable) {
  return variable.starts_with("DIB_INSTALLTYPE_") ||
         std::find(k_builders_variables.begin(), k_builders_variables.end(), variable) != k_builders_variables.end();
}

/// What the builder itself passes in, and what differs between builds of the same steps.
inline constexpr std::array k_handed_variables = {std::string_view("IMAGE_NAME"),
                                                  std::string_view("DIB_ARGS"),
                                                  std::string_view("DIB_ENV"),
                                                  std::string_view("IMAGE_ELEMENT"),
                                                  std::string_view("IMAGE_ELEMENT_YAML"),
                                                  std::string_view("ELEMENTS_PATH"),
                                                  std::string_view("BASH_FUNC_get_image_element_array%%"),
                                                  std::string_view("DIB_HEAT_METADATA"),
                                                  std::string_view("DIB_CHECKSUM"),
                                                  std::string_view("DIB_MIN_TMPFS"),
                                                  std::string_view("DIB_NO_TMPFS"),
                                                  std::string_view("DIB_OFFLINE"),
                                                  std::string_view("DIB_ROOT_LABEL"),
                                                  std::string_view("DIB_BOOT_LABEL"),
                                                  std::string_view("DIB_MOUNTPOINTS"),
                                                  std::string_view("FS_TYPE"),
                                                  std::string_view("DIB_ROOT_FSTYPE"),
                                                  std::string_view("SOURCE_DATE_EPOCH")};

[[nodiscard]] inline bool is_set_by_builder(std::string_view variable) {
  return std::find(k_handed_variables.begin(), k_handed_variables.end(), variable) != k_handed_variables.end();
}

}  // namespace hearth::builder
