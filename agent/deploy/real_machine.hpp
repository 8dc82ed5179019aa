// This machine.
#pragma once

#include <functional>

#include "agent/deploy/machine.hpp"

namespace hearth::agent::deploy {

class RealMachine final : public Machine {
 public:
  /// `settle` loads drivers; may be empty. With `collect_lldp` neighbours are listened to when NICs are asked for
  /// first.
  RealMachine(std::string boot_mac, bool collect_lldp, std::function<void()> settle)
      : boot_mac_(std::move(boot_mac)), collect_lldp_(collect_lldp), settle_(std::move(settle)) {}

  [[nodiscard]] std::vector<Disk> disks() override;
  [[nodiscard]] std::vector<Nic> nics() override;
  [[nodiscard]] Json inventory() override;
  [[nodiscard]] Json pci_devices() override;
  std::string install_bootloader(const Disk& disk) override;
  std::string install_grub(const GrubWish& wish) override;
  void make_file_system(const std::string& type, const std::string& device, const std::string& label) override;
  WrittenImage write_image(const ImageInfo& image, const std::string& device, WriterWorld& world,
                           WriteProgress& progress) override;
  std::string finish_partitions(const Disk& disk, const std::string& drive) override;
  void let_in(const Json& params) override;
  void end(Ending ending) override;

 private:
  std::string boot_mac_;
  bool collect_lldp_;
  std::function<void()> settle_;
  std::vector<Nic> heard_;  ///< what LLDP told, by interface
};

}  // namespace hearth::agent::deploy
