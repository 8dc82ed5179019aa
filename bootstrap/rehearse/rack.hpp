// Rack: machines as their management sees them. The seam between the Redfish face and the machines behind it.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/rehearse/fault.hpp"

namespace hearth::bootstrap {

/// What Redfish has under "Boot" (DSP0266, ComputerSystem).
struct BootOverride {
  std::string target = "None";       ///< None, Pxe, Hdd
  std::string enabled = "Disabled";  ///< Disabled, Once, Continuous
  bool operator==(const BootOverride&) const = default;
};

class Rack {
 public:
  virtual ~Rack() = default;
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  [[nodiscard]] virtual bool is_uefi(const std::string& machine) const = 0;
  [[nodiscard]] virtual bool is_on(const std::string& machine) = 0;
  /// Does nothing when it is on. An override of the kind Once is used up.
  virtual void switch_on(const std::string& machine) = 0;
  virtual void switch_off(const std::string& machine) = 0;
  /// Asks its system to end; does not wait.
  virtual void press_button(const std::string& machine) = 0;
  /// A non-maskable interrupt to a machine that is on.
  virtual void interrupt(const std::string& machine) = 0;
  [[nodiscard]] virtual BootOverride boot_override(const std::string& machine) const = 0;
  virtual void set_boot_override(const std::string& machine, const BootOverride& wish) = 0;
  virtual void inject(const std::string& machine, FaultKind fault) = 0;
  /// Its disk, dead or not, is replaced by one that works; found at its next start.
  virtual void replace_disk(const std::string& machine) = 0;
};

}  // namespace hearth::bootstrap
