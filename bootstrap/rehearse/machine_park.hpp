// MachinePark: the machines of a rehearsal, each a QEMU process that is there while the machine is on. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/rehearse/lossy_link.hpp"
#include "bootstrap/rehearse/machine_command.hpp"

namespace hearth::bootstrap {

class MachinePark final : public Rack {
 public:
  struct Place {
    BlankMachine machine;
    MachineSetting setting;
  };
  /// Each machine's home exists, with its disk and, for UEFI, its variables.
  MachinePark(std::vector<Place> places, const Clock& clock);

  /// Takes note of machines that went off by themselves; brings current back. To be called several times a second.
  void tick();

  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] bool is_uefi(const std::string& machine) const override;
  [[nodiscard]] bool is_on(const std::string& machine) override;
  void switch_on(const std::string& machine) override;
  void switch_off(const std::string& machine) override;
  void press_button(const std::string& machine) override;
  void interrupt(const std::string& machine) override;
  [[nodiscard]] BootOverride boot_override(const std::string& machine) const override;
  void set_boot_override(const std::string& machine, const BootOverride& wish) override;
  void inject(const std::string& machine, FaultKind fault) override;
  void replace_disk(const std::string& machine) override;

 private:
  struct Berth {
    Place place;
    BootOverride boot;
    std::optional<Child> running;
    std::optional<MonotonicTime> current_back;  ///< when it comes back, after a power cut
    std::unique_ptr<LossyLink> link;
  };
  [[nodiscard]] Berth& berth(const std::string& machine);
  [[nodiscard]] const Berth& berth(const std::string& machine) const;
  void look(Berth& berth);
  void start(Berth& berth);
  static void went_off(Berth& berth, const std::string& text);
  static void note(const Berth& berth, const std::string& text);

  std::map<std::string, Berth> berths_;
  const Clock& clock_;
};

}  // namespace hearth::bootstrap
