// The driver ipmi: BMCs by IPMI over LAN (RMCP+), through ipmitool. The password reaches it by its environment, never
// by its arguments. One command at a time for each BMC.
#pragma once

#include <mutex>

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

/// IPMI 2.0's cipher suites with SHA-256, and with SHA-1, which hardened BMCs refuse and old ones have alone.
constexpr const char* k_ipmi_suite = "17";
constexpr const char* k_old_ipmi_suite = "3";

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
  /// One command at a time.
  struct Bmc {
    std::mutex mutex;
    const char* suite = k_ipmi_suite;
  };
  [[nodiscard]] Bmc& bmc(const Node& node);

  CommandRunner& runner_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Bmc>> bmcs_;
};

/// The command and its environment's further variables. `suite`: where the node names none. Pure.
[[nodiscard]] Command ipmi_command(const Node& node, const std::vector<std::string>& words,
                                   const char* suite = k_ipmi_suite);
/// Whether a BMC has refused the cipher suite, and nothing else yet.
[[nodiscard]] bool lacks_cipher_suite(std::string_view output);
/// What ipmitool's words mean. "Error: Unable to establish IPMI v2 / RMCP+ session" can be either of two.
[[nodiscard]] PowerFault::Reason ipmi_reason(const std::string& output);

/// What "chassis bootparam get 5" tells (IPMI 2.0, table 28-14).
[[nodiscard]] BootDevice ipmi_boot_device(const std::string& told);

}  // namespace hearth::bootstrap
