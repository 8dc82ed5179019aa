// The drivers idrac, ilo, irmc and xclarity: BMCs with names of their own that speak Redfish, and the older ones IPMI.
// A node's own keys (drac_address, ilo_username …) are read as the other driver's, where those are not given; Redfish
// is asked first, IPMI where it does not answer. A wrong password is not tried again by the other way: accounts are
// locked.
#pragma once

#include <functional>
#include <mutex>
#include <set>

#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

class VendorDriver final : public PowerDriver {
 public:
  /// `prefix`: of the node's own keys, "drac". The two others must outlive it.
  VendorDriver(std::string prefix, PowerDriver& redfish, PowerDriver& ipmi)
      : prefix_(std::move(prefix)), redfish_(redfish), ipmi_(ipmi) {}
  [[nodiscard]] std::vector<std::string> missing(const Node& node) const override;
  [[nodiscard]] Power state(const Node& node) override;
  void set(const Node& node, PowerAction action) override;
  void set_boot_device(const Node& node, const std::string& device, bool persistent) override;
  [[nodiscard]] std::optional<BootDevice> boot_device(const Node& node) override;
  [[nodiscard]] Firmware firmware(const Node& node) override;
  void set_boot_mode(const Node& node, const std::string& mode) override;
  void set_secure_boot(const Node& node, bool on) override;
  void set_bios(const Node& node, const Json& settings) override;
  void reset_bios(const Node& node) override;
  [[nodiscard]] RaidHardware raid(const Node& node) override;
  BmcOrder create_volume(const Node& node, const VolumeWish& wish) override;
  BmcOrder delete_volume(const Node& node, const Volume& volume) override;
  BmcOrder update_firmware(const Node& node, const FirmwareImage& image) override;
  [[nodiscard]] BmcTask task(const Node& node, const std::string& path) override;
  [[nodiscard]] std::vector<std::string> tasks(const Node& node) override;
  void inject_nmi(const Node& node) override;

 private:
  using Call = std::function<void(PowerDriver& driver, const Node& node)>;
  void ask(const Node& node, const Call& call);
  [[nodiscard]] Node as(const Node& node, const std::string& driver) const;
  [[nodiscard]] std::string address(const Node& node) const;

  std::string prefix_;
  PowerDriver& redfish_;
  PowerDriver& ipmi_;
  std::mutex mutex_;
  std::set<std::string> by_ipmi_;  ///< addresses at which only that answered
};

}  // namespace hearth::bootstrap
