// RehearsalStage: what must be there before the first step: a network, machines with their management, a seed.
#pragma once

#include <functional>
#include <optional>

#include "base/sys/process.hpp"
#include "bootstrap/rehearse/bmc.hpp"
#include "bootstrap/rehearse/plan.hpp"

namespace hearth::bootstrap {

class RehearsalStage {
 public:
  RehearsalStage(const RehearsalSettings& settings, CommandRunner& runner, Clock& clock);

  /// Makes everything and waits until it answers; what a seed in a virtual machine says goes to `tell`. Throws Error
  /// that names the log.
  void build(const std::function<void(const std::string&)>& tell);

  [[nodiscard]] const BmcPlace& bmc() const { return bmc_; }
  [[nodiscard]] fs::path home(const BlankMachine& machine) const { return settings_.work / "machines" / machine.name; }
  [[nodiscard]] const std::string& token() const { return token_; }
  /// The operator's inventory as it is without mistakes.
  [[nodiscard]] const Json& inventory() const { return inventory_; }
  /// What the import reads from now on.
  void write_inventory(const Json& inventory);
  /// For the steps: this process's, with the seed's addresses.
  [[nodiscard]] Environment environment() const;
  /// The site's image, under each name that a template may have for it; where the seed is a process, once it is loaded.
  void register_images();
  /// Where the logs are, a line each.
  [[nodiscard]] std::string log_names() const;

 private:
  void make_network();
  void make_machines();
  void start_bmc();
  void write_files();
  void open_door();
  void start_services();
  void start_seed_machine();
  void wait_for_ports(const Deadline& patience);
  [[nodiscard]] fs::path seed_log() const;

  const RehearsalSettings& settings_;
  CommandRunner& runner_;
  Clock& clock_;
  std::string token_;
  std::string ssh_key_;  ///< the public one, that machines let in; empty where none can be made
  BmcPlace bmc_;
  Json inventory_;
  Json image_;                 ///< what a seed that is a machine is to know of it
  std::optional<Child> seed_;  ///< where it is a process
};

}  // namespace hearth::bootstrap
