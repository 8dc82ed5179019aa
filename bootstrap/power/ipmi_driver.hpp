// The driver ipmi: BMCs by IPMI over LAN (RMCP+), through ipmitool. The password reaches it by its environment, never
// by its arguments. One command at a time for each BMC.
#pragma once

#include <mutex>

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

class IpmiDriver final : public PowerDriver {
 public:
  IpmiDriver(CommandRunner& runner, Clock& clock) : runner_(runner), clock_(clock) {}
  [[nodiscard]] std::vector<std::string> missing(const Node& node) const override;
  [[nodiscard]] Power state(const Node& node) override;
  void set(const Node& node, PowerAction action) override;
  void set_boot_device(const Node& node, const std::string& device, bool persistent) override;
  [[nodiscard]] std::optional<BootDevice> boot_device(const Node& node) override;
  void inject_nmi(const Node& node) override;

 private:
  std::string ipmitool(const Node& node, const std::vector<std::string>& words);
  void wait_until(const Node& node, Power wanted, Duration patience);
  [[nodiscard]] std::mutex& bmc(const Node& node);

  CommandRunner& runner_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<std::mutex>> bmcs_;
};

/// The command and its environment's further variables. Pure.
[[nodiscard]] Command ipmi_command(const Node& node, const std::vector<std::string>& words);
/// What ipmitool's words mean. "Error: Unable to establish IPMI v2 / RMCP+ session" can be either of two.
[[nodiscard]] PowerFault::Reason ipmi_reason(const std::string& output);

/// What "chassis bootparam get 5" tells (IPMI 2.0, table 28-14).
[[nodiscard]] BootDevice ipmi_boot_device(const std::string& told);

}  // namespace hearth::bootstrap
