// A bare machine: its management, its firmware (BIOS or UEFI, as the captures of tests/peers/pxe have them), iPXE, the
// deploy ramdisk with the real agent in it, its disks, and the system that starts from one.
#pragma once

#include <deque>

#include "agent/deploy/agent.hpp"
#include "bootstrap/rehearse/rack.hpp"
#include "simulation/site.hpp"

namespace hearth::simulation {

struct DriveState {
  std::string device;
  std::string serial;
  std::uint64_t size = 0;
  bool is_dead = false;
  std::string image;  ///< for which machine it was written; empty: none that starts
  std::string drive;  ///< its config drive
};

class Machine {
 public:
  Machine(Site& site, std::size_t number);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] const std::string& mac() const { return site_.layout.machines[number_].mac; }
  [[nodiscard]] bool is_uefi() const { return is_uefi_; }
  [[nodiscard]] bool is_on() const { return boot_ != 0; }
  [[nodiscard]] bool runs_system() const { return is_on() && runs_system_; }
  [[nodiscard]] const std::string& doing() const { return doing_; }
  /// The serial number of the disk that is meant for the system.
  [[nodiscard]] const std::string& meant() const { return drives_.back().serial; }

  void switch_on();
  void switch_off();
  /// Its system, if one runs, ends in some seconds.
  void press_button();
  bootstrap::BootOverride boot_override;

  // Faults.
  void lose_power();
  void kill_disk();
  void replace_disk();
  void boot_slowly(Duration more) { more_in_firmware_ = more; }

  /// A datagram from the DHCP server, for its card.
  void receive(std::string bytes);

 private:
  friend class SimulatedHardware;
  friend class SimulatedSurroundings;

  void boot();
  void count_boot(Duration asked);
  [[nodiscard]] bool boot_network();
  [[nodiscard]] bool run_ipxe();
  [[nodiscard]] bool follow_script(const std::string& script);
  void boot_disk();
  void run_ramdisk(const std::string& line);
  void run_agent(const std::string& line);
  void run_system(const DriveState& drive);
  void keep_lease();
  struct Offer {
    pxe::Ipv4 address;
    std::string file;
    std::uint32_t lease_s = 0;
  };
  /// The exchange of four messages, as firmware of a kind tries it.
  [[nodiscard]] std::optional<Offer> ask_as_firmware(bool as_ipxe);
  [[nodiscard]] std::optional<std::string> converse(const std::string& message, Duration patience,
                                                    const std::function<bool(const std::string&)>& fits);
  [[nodiscard]] bool ask_as_ramdisk(Duration patience);
  void take_address(pxe::Ipv4 address);
  /// Null when it can't be had.
  [[nodiscard]] std::optional<std::string> fetch(std::uint16_t port, const std::string& path);
  void do_now(std::string what);

  Site& site_;
  std::size_t number_;
  std::string name_;
  bool is_uefi_;
  bool network_first_;
  bool forgets_override_;  ///< its firmware takes Continuous for Once, as some do
  Random random_;
  std::vector<DriveState> drives_;
  OwnerId boot_ = 0;
  bool runs_system_ = false;
  std::string doing_ = "off";
  Duration more_in_firmware_{};
  std::string address_;
  std::uint32_t lease_s_ = 0;
  std::deque<std::string> heard_;
  Bell bell_;
};

/// All of them, as their BMCs see them.
class Racks final : public bootstrap::Rack {
 public:
  explicit Racks(std::vector<std::unique_ptr<Machine>>& machines) : machines_(machines) {}
  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] bool is_uefi(const std::string& machine) const override { return of(machine).is_uefi(); }
  [[nodiscard]] bool is_on(const std::string& machine) override { return of(machine).is_on(); }
  void switch_on(const std::string& machine) override { of(machine).switch_on(); }
  void switch_off(const std::string& machine) override { of(machine).switch_off(); }
  void press_button(const std::string& machine) override { of(machine).press_button(); }
  void interrupt(const std::string& /*machine*/) override {}
  [[nodiscard]] bootstrap::BootOverride boot_override(const std::string& machine) const override {
    return of(machine).boot_override;
  }
  void set_boot_override(const std::string& machine, const bootstrap::BootOverride& wish) override {
    of(machine).boot_override = wish;
  }
  void inject(const std::string& machine, bootstrap::FaultKind fault) override;
  void replace_disk(const std::string& machine) override { of(machine).replace_disk(); }

 private:
  [[nodiscard]] Machine& of(const std::string& name) const;
  std::vector<std::unique_ptr<Machine>>& machines_;
};

}  // namespace hearth::simulation
