// UEFI boot entries (UEFI specification, section 3.1.3 "Load Options" and chapter 10 "Device Path") by way of efivarfs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/deploy/disk/gpt.hpp"

namespace hearth::agent::deploy {

/// What a boot entry starts: a file of a partition.
struct LoadOption {
  std::string label;  ///< ASCII
  std::uint32_t partition = 0;
  std::uint64_t first = 0;  ///< sectors
  std::uint64_t sectors = 0;
  Guid partition_id{};
  std::string path;  ///< "\\EFI\\debian\\shimx64.efi"
};

/// The value of a Boot#### variable.
[[nodiscard]] std::string encode_load_option(const LoadOption& option);
/// The label in such a value; nothing when it is none.
[[nodiscard]] std::optional<std::string> label_of_load_option(std::string_view value);

/// The entries of EFI/*/BOOTX64.CSV (shim's fallback): lines of loader, label and more, in UTF-16.
struct CsvEntry {
  std::string loader;
  std::string label;
  bool operator==(const CsvEntry&) const = default;
};
[[nodiscard]] std::vector<CsvEntry> parse_boot_csv(std::string_view bytes);

/// The variables of this machine.
class EfiVariables {
 public:
  explicit EfiVariables(std::string directory = "/sys/firmware/efi/efivars") : directory_(std::move(directory)) {}

  /// Removes entries with the same label, adds `option` and puts it first in BootOrder. Returns its name ("Boot0003").
  /// Throws Error(io) when the firmware refuses, Error(unsupported) when the machine was not started by UEFI.
  std::string put_first(const LoadOption& option);
  /// The numbers in BootOrder.
  [[nodiscard]] std::vector<std::uint16_t> boot_order() const;

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const;
  [[nodiscard]] std::optional<std::string> read(const std::string& name) const;
  void write(const std::string& name, const std::string& value);
  void remove(const std::string& name);
  [[nodiscard]] std::vector<std::uint16_t> entries_labelled(const std::string& label,
                                                            std::vector<std::uint16_t>& used) const;

  std::string directory_;
};

}  // namespace hearth::agent::deploy
