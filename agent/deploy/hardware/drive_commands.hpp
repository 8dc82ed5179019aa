// What a drive is told past the block layer, as a seam: ATA commands (ACS-4) and NVMe's admin commands.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include "base/sys/fd.hpp"

namespace hearth::agent::deploy {

/// All throw Error(io) when the drive or the kernel refuses.
class DriveCommands {
 public:
  static constexpr std::size_t k_ata_block = 512;

  virtual ~DriveCommands() = default;
  /// IDENTIFY DEVICE: 512 bytes.
  [[nodiscard]] virtual std::string ata_identify() = 0;
  /// A command with a block for the drive, or without one when `block` is empty.
  virtual void ata(std::uint8_t command, const std::string& block, std::chrono::seconds patience) = 0;
  /// Identify: 4096 bytes, of the controller (`space` 0) or of a namespace.
  [[nodiscard]] virtual std::string nvme_identify(std::uint32_t space) = 0;
  /// The number of the namespace that the disk is.
  [[nodiscard]] virtual std::uint32_t nvme_space() = 0;
  /// The numbers of all namespaces that the drive has for this machine: words of 4 bytes, zero after the last.
  [[nodiscard]] virtual std::string nvme_spaces() = 0;
  /// Format NVM, with the command's word 10.
  virtual void nvme_format(std::uint32_t space, std::uint32_t word, std::chrono::seconds patience) = 0;
  /// Sanitize, with the command's word 10. The drive goes on by itself; the whole drive is meant, not a namespace.
  virtual void nvme_sanitize(std::uint32_t word) = 0;
  /// How far that is: the page of the log "Sanitize Status".
  [[nodiscard]] virtual std::string nvme_sanitize_status() = 0;
};

enum class AtaData { none, from_drive, to_drive };

/// The SCSI command that has a drive carry out an ATA one, with a block of data or without.
[[nodiscard]] std::array<std::uint8_t, 16> pass_through_words(std::uint8_t command, AtaData data);

/// A disk of this machine: ATA through the kernel's SCSI layer (SAT-4, ATA PASS-THROUGH (16)).
class RealDrive final : public DriveCommands {
 public:
  RealDrive(const Fd& fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  [[nodiscard]] std::string ata_identify() override;
  void ata(std::uint8_t command, const std::string& block, std::chrono::seconds patience) override;
  [[nodiscard]] std::string nvme_identify(std::uint32_t space) override;
  [[nodiscard]] std::uint32_t nvme_space() override;
  [[nodiscard]] std::string nvme_spaces() override;
  void nvme_format(std::uint32_t space, std::uint32_t word, std::chrono::seconds patience) override;
  void nvme_sanitize(std::uint32_t word) override;
  [[nodiscard]] std::string nvme_sanitize_status() override;

 private:
  [[nodiscard]] std::string identify(std::uint32_t what, std::uint32_t space);

  const Fd& fd_;
  std::string name_;
};

}  // namespace hearth::agent::deploy
