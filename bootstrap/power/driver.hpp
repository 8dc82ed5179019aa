// PowerDriver: how machines of one kind are switched on and off and told where to boot from. Drivers are called from
// worker threads, with a copy of the node; they may wait, within the node's timeouts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/power/bmc_work.hpp"

namespace hearth::bootstrap {

/// Why a machine's management did not do what it was told.
class PowerFault : public Error {
 public:
  enum class Reason {
    unreachable,  ///< no answer: trying again may help
    busy,         ///< asked too soon or at its limit: trying again helps
    refused,      ///< wrong user or password: trying again locks accounts
    failed,       ///< it says no, or the machine does not follow
    unsupported,  ///< this kind of management, or this machine's, has no such thing
  };
  PowerFault(Reason reason, std::string text) : Error(ErrorKind::external, std::move(text)), reason_(reason) {}
  [[nodiscard]] Reason reason() const { return reason_; }
  [[nodiscard]] bool passing() const { return reason_ == Reason::unreachable || reason_ == Reason::busy; }

 private:
  Reason reason_;
};

/// "Driver ipmi does not support set_boot_mode (disabled or not implemented)."
[[nodiscard]] PowerFault unsupported(const std::string& driver, const std::string& what);

enum class PowerAction { on, off, soft_off, reboot, soft_reboot };
[[nodiscard]] constexpr bool is_soft(PowerAction action) {
  return action == PowerAction::soft_off || action == PowerAction::soft_reboot;
}
/// "power on", "power off", "soft power off", "rebooting", "soft rebooting".
[[nodiscard]] std::string_view name(PowerAction action);
[[nodiscard]] std::optional<PowerAction> parse_power_action(std::string_view text);

struct BootDevice {
  std::string device;  ///< as set_boot_device() takes it; empty = none is set
  bool persistent = false;
};

/// How a machine's firmware is set, as far as its management tells.
struct Firmware {
  std::optional<std::string> boot_mode;  ///< "uefi", "bios"
  std::optional<bool> secure_boot;
  std::map<std::string, Json> settings;  ///< of its BIOS, by name
  std::vector<FirmwarePart> parts = {};
};

class PowerDriver {
 public:
  virtual ~PowerDriver() = default;
  /// A person does it: nothing here reaches the machine.
  [[nodiscard]] virtual bool by_hand() const { return false; }
  /// What the node lacks for being managed, a line each; looks at values only.
  [[nodiscard]] virtual std::vector<std::string> missing(const Node& node) const = 0;
  /// Throws PowerFault.
  [[nodiscard]] virtual Power state(const Node& node) = 0;
  /// Does nothing when the machine is so already. soft_off and soft_reboot only ask the machine's system, and don't
  /// wait for it: whether it follows is looked at by whoever asked (conductor/power_watch.hpp). Throws PowerFault.
  virtual void set(const Node& node, PowerAction action) = 0;
  /// "pxe", "disk", "cdrom", "bios". Not persistent: for the next start only. Throws PowerFault.
  virtual void set_boot_device(const Node& node, const std::string& device, bool persistent) = 0;
  [[nodiscard]] virtual std::vector<std::string> boot_devices() const { return {"pxe", "disk", "cdrom", "bios"}; }

  // What only some kinds of management have. Each throws PowerFault, of the reason unsupported where it is not there.
  /// Where it says that the machine boots from; nothing where it can't be asked.
  [[nodiscard]] virtual std::optional<BootDevice> boot_device(const Node&) { return std::nullopt; }
  [[nodiscard]] virtual Firmware firmware(const Node&) { return {}; }
  /// Both hold from the machine's next start on.
  virtual void set_boot_mode(const Node& node, const std::string& mode);
  virtual void set_secure_boot(const Node& node, bool on);
  /// Settings by name (Firmware::settings). Both hold from the machine's next start on.
  virtual void set_bios(const Node& node, const Json& settings);
  virtual void reset_bios(const Node& node);
  /// Drives, and the volumes that controllers make of them.
  [[nodiscard]] virtual RaidHardware raid(const Node& node);
  virtual BmcOrder create_volume(const Node& node, const VolumeWish& wish);
  virtual BmcOrder delete_volume(const Node& node, const Volume& volume);
  /// Has the BMC fetch the file, if it is the one that it is to be, and bring it to the part that it is for.
  virtual BmcOrder update_firmware(const Node& node, const FirmwareImage& image);
  /// How far it is with an order (BmcOrder::task).
  [[nodiscard]] virtual BmcTask task(const Node& node, const std::string& path);
  /// The orders that its management knows of, as task() takes them; none where it tells of none.
  [[nodiscard]] virtual std::vector<std::string> tasks(const Node&) { return {}; }
  /// A non-maskable interrupt: a system that hangs writes its dump.
  virtual void inject_nmi(const Node& node);
};

/// Drivers by name.
class Drivers {
 public:
  void add(const std::string& name, std::unique_ptr<PowerDriver> driver) { drivers_[name] = std::move(driver); }
  /// What drivers work with lives as long as they.
  void keep(std::shared_ptr<const void> world) { world_ = std::move(world); }
  /// Null for a driver that this program does not have.
  [[nodiscard]] PowerDriver* find(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::shared_ptr<const void> world_;
  std::map<std::string, std::unique_ptr<PowerDriver>> drivers_;
};

}  // namespace hearth::bootstrap
