#include "bootstrap/power/driver.hpp"

#include <array>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {
constexpr std::array<std::string_view, 5> k_actions = {"power on", "power off", "soft power off", "rebooting",
                                                       "soft rebooting"};
}

std::string_view name(PowerAction action) { return k_actions.at(static_cast<std::size_t>(action)); }

std::optional<PowerAction> parse_power_action(std::string_view text) {
  for (std::size_t i = 0; i < k_actions.size(); ++i) {
    if (k_actions.at(i) == text) return static_cast<PowerAction>(i);
  }
  return std::nullopt;
}

PowerFault unsupported(const std::string& driver, const std::string& what) {
  return {PowerFault::Reason::unsupported,
          cat("Driver ", driver, " does not support ", what, " (disabled or not implemented).")};
}

void PowerDriver::set_boot_mode(const Node& node, const std::string&) {
  throw unsupported(node.driver, "set_boot_mode");
}
void PowerDriver::set_secure_boot(const Node& node, bool) { throw unsupported(node.driver, "set_secure_boot_state"); }
void PowerDriver::set_bios(const Node& node, const Json&) { throw unsupported(node.driver, "apply_configuration"); }
void PowerDriver::reset_bios(const Node& node) { throw unsupported(node.driver, "factory_reset"); }
RaidHardware PowerDriver::raid(const Node& node) { throw unsupported(node.driver, "raid"); }
BmcOrder PowerDriver::create_volume(const Node& node, const VolumeWish&) { throw unsupported(node.driver, "raid"); }
BmcOrder PowerDriver::delete_volume(const Node& node, const Volume&) { throw unsupported(node.driver, "raid"); }
BmcOrder PowerDriver::update_firmware(const Node& node, const FirmwareImage&) {
  throw unsupported(node.driver, "firmware");
}
BmcTask PowerDriver::task(const Node& node, const std::string&) { throw unsupported(node.driver, "tasks"); }
void PowerDriver::inject_nmi(const Node& node) { throw unsupported(node.driver, "inject_nmi"); }

PowerDriver* Drivers::find(const std::string& name) const {
  const auto found = drivers_.find(name);
  return found == drivers_.end() ? nullptr : found->second.get();
}

std::vector<std::string> Drivers::names() const {
  std::vector<std::string> names;
  for (const auto& [name, driver] : drivers_) names.push_back(name);
  return names;
}

}  // namespace hearth::bootstrap
