// The driver redfish: BMCs by Redfish (DMTF DSP0266) over HTTPS. A session of each BMC is kept until this ends. Basic
// credentials where there are no sessions.
#pragma once

#include "base/net/http.hpp"
#include "bootstrap/power/driver.hpp"
#include "bootstrap/power/redfish_session.hpp"

namespace hearth::bootstrap {

class RedfishDriver final : public PowerDriver {
 public:
  RedfishDriver(HttpClient& http, Clock& clock) : http_(http), clock_(clock) {}
  RedfishDriver(const RedfishDriver&) = delete;
  RedfishDriver& operator=(const RedfishDriver&) = delete;
  ~RedfishDriver() override;
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
  HttpClient& http_;
  Clock& clock_;
  RedfishSessions sessions_;
};

/// "On", "PoweringOn" → on. Throws PowerFault for what says neither.
[[nodiscard]] Power redfish_power(const Json& system);
/// The first of the wishes that the system allows; empty when none.
[[nodiscard]] std::string allowed_reset(const Json& system, const std::vector<std::string>& wishes);

}  // namespace hearth::bootstrap
