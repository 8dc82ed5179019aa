// Faults on demand: what goes wrong on which machine, and when. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hearth::bootstrap {

enum class FaultKind {
  power_loss,      ///< current is cut, and comes back five seconds later; only a machine that is on has any to lose
  dead_disk,       ///< from its next start on, every write to its disk fails, until somebody replaces it
  lossy_link,      ///< every tenth frame, in and out, is lost
  wrong_mac,       ///< the inventory has another address for the machine's card, until somebody looks at its label
  wrong_password,  ///< the inventory has another password for its BMC, until somebody corrects it
};
/// Whether it is a mistake in the inventory: there from the beginning, and mended by another import.
[[nodiscard]] bool is_of_inventory(FaultKind kind);
[[nodiscard]] std::string_view name(FaultKind kind);
[[nodiscard]] std::optional<FaultKind> parse_fault_kind(std::string_view text);

struct InjectedFault {
  FaultKind kind = FaultKind::power_loss;
  std::string machine;
  std::string state;  ///< Ironic's word; as soon as its node has this state. Empty = from the beginning
  [[nodiscard]] std::string text() const;
  bool operator==(const InjectedFault&) const = default;
};

/// "power-loss:node2@deploying", "dead-disk:node3", "lossy-link:node1"; the error says what is wrong. `machines` are
/// those that there are.
[[nodiscard]] Result<InjectedFault, std::string> parse_fault(std::string_view text,
                                                             const std::vector<std::string>& machines);

/// What is still to happen, against what has been seen.
class FaultPlan {
 public:
  explicit FaultPlan(std::vector<InjectedFault> faults) : waiting_(std::move(faults)) {}
  /// Those that are due from the beginning.
  [[nodiscard]] std::vector<InjectedFault> at_start();
  /// A node's state has changed to `state`; each fault is due once.
  [[nodiscard]] std::vector<InjectedFault> on_state(const std::string& machine, const std::string& state);
  /// It was due, but could not happen: it is due again at the next such change.
  void put_back(const InjectedFault& fault) { waiting_.push_back(fault); }
  [[nodiscard]] const std::vector<InjectedFault>& waiting() const { return waiting_; }

 private:
  [[nodiscard]] std::vector<InjectedFault> take(const std::string& machine, const std::string& state, bool any_machine);
  std::vector<InjectedFault> waiting_;
};

}  // namespace hearth::bootstrap
