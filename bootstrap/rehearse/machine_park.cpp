#include "bootstrap/rehearse/machine_park.hpp"

#include <fcntl.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/power/qmp.hpp"

namespace hearth::bootstrap {

namespace {

constexpr Duration k_power_cut = std::chrono::seconds(5);

}  // namespace

MachinePark::MachinePark(std::vector<Place> places, const Clock& clock) : clock_(clock) {
  for (Place& place : places) {
    const std::string name = place.machine.name;
    Berth& berth = berths_[name];
    berth.place = std::move(place);
    const MachineSetting& setting = berth.place.setting;
    if (setting.relayed) berth.link = std::make_unique<LossyLink>(setting.home, setting.tap);
  }
}

MachinePark::Berth& MachinePark::berth(const std::string& machine) {
  const auto found = berths_.find(machine);
  if (found == berths_.end()) throw Error(ErrorKind::not_found, cat("there is no machine ", machine));
  return found->second;
}

const MachinePark::Berth& MachinePark::berth(const std::string& machine) const {
  return const_cast<MachinePark*>(this)->berth(machine);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// Into the machine's console, among what it says itself: who reads it must see why it broke off.
void MachinePark::note(const Berth& berth, const std::string& text) {
  const Fd console = Fd::open((berth.place.setting.home / "console.log").string(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  write_all(console, cat("\n*** rehearsal: ", text, "\n"), "console.log");
}

void MachinePark::look(Berth& berth) {
  if (!berth.running || !berth.running->wait(Deadline::after(Duration::zero(), clock_), clock_)) return;
  went_off(berth, "the machine is off");
}

void MachinePark::went_off(Berth& berth, const std::string& text) {
  berth.running.reset();
  note(berth, text);
  const LossyLink::Tally tally = berth.link ? berth.link->tally() : LossyLink::Tally{};
  if (tally.lost > 0) note(berth, cat("its link has lost ", tally.lost, " of ", tally.frames, " frames"));
}

void MachinePark::tick() {
  for (auto& [name, berth] : berths_) {
    look(berth);
    if (!berth.current_back || clock_.now() < *berth.current_back) continue;
    berth.current_back.reset();
    note(berth, "current is back");
    if (!berth.running) start(berth);
  }
}

void MachinePark::start(Berth& berth) {
  const MachineSetting& setting = berth.place.setting;
  const std::vector<std::string> argv = machine_command(berth.place.machine, setting, berth.boot);
  note(berth, cat("power on", berth.boot.enabled == "Disabled" ? "" : ", boots " + berth.boot.target));
  if (berth.boot.enabled == "Once") berth.boot = {};
  for (const char* socket : {"qmp", "frames", "console"}) fs::remove(setting.home / socket);
  const Fd log = Fd::open((setting.home / "qemu.log").string(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  SpawnOptions options;
  options.argv = argv;
  options.out = log.get();
  options.err = log.get();
  berth.running.emplace(Child::spawn(options));
}

std::vector<std::string> MachinePark::names() const {
  std::vector<std::string> names;
  for (const auto& [name, berth] : berths_) names.push_back(name);
  return names;
}

bool MachinePark::is_uefi(const std::string& machine) const { return berth(machine).place.machine.uefi; }

bool MachinePark::is_on(const std::string& machine) {
  Berth& found = berth(machine);
  look(found);
  return found.running.has_value();
}

void MachinePark::switch_on(const std::string& machine) {
  Berth& found = berth(machine);
  look(found);
  found.current_back.reset();
  if (!found.running) start(found);
}

void MachinePark::switch_off(const std::string& machine) {
  Berth& found = berth(machine);
  found.current_back.reset();
  if (!found.running) return;
  found.running->kill_and_wait();
  went_off(found, "power off");
}

void MachinePark::press_button(const std::string& machine) {
  Berth& found = berth(machine);
  look(found);
  if (!found.running) return;
  note(found, "the power button is pressed");
  static_cast<void>(qmp(found.place.setting.home / "qmp", "system_powerdown", Json(), std::chrono::seconds(5), clock_));
}

void MachinePark::interrupt(const std::string& machine) {
  const Berth& found = berth(machine);
  note(found, "it is sent a non-maskable interrupt");
  static_cast<void>(qmp(found.place.setting.home / "qmp", "inject-nmi", Json(), std::chrono::seconds(5), clock_));
}

BootOverride MachinePark::boot_override(const std::string& machine) const { return berth(machine).boot; }

void MachinePark::set_boot_override(const std::string& machine, const BootOverride& wish) {
  berth(machine).boot = wish;
}

void MachinePark::inject(const std::string& machine, FaultKind fault) {
  Berth& found = berth(machine);
  look(found);
  note(found, cat("fault: ", name(fault)));
  if (fault == FaultKind::dead_disk) found.place.setting.dead_disk = true;
  if (fault == FaultKind::lossy_link && found.link) found.link->lose_frames();
  if (fault != FaultKind::power_loss) return;
  if (!found.running) return;  // nothing to lose
  found.running->kill_and_wait();
  went_off(found, "the current is cut");
  found.current_back = clock_.now() + k_power_cut;
}

/// The dead one has taken no write, so its file is as good as new.
void MachinePark::replace_disk(const std::string& machine) {
  Berth& found = berth(machine);
  found.place.setting.dead_disk = false;
  note(found, "its disk is replaced");
}

}  // namespace hearth::bootstrap
