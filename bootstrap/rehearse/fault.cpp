#include "bootstrap/rehearse/fault.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "bootstrap/node/states.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::array<std::pair<FaultKind, std::string_view>, 5> k_kinds = {
    {{FaultKind::power_loss, "power-loss"},
     {FaultKind::dead_disk, "dead-disk"},
     {FaultKind::lossy_link, "lossy-link"},
     {FaultKind::wrong_mac, "wrong-mac"},
     {FaultKind::wrong_password, "wrong-password"}}};

}  // namespace

std::string_view name(FaultKind kind) {
  const auto* found = std::find_if(k_kinds.begin(), k_kinds.end(), [&](const auto& row) { return row.first == kind; });
  return found->second;
}

std::optional<FaultKind> parse_fault_kind(std::string_view text) {
  for (const auto& [kind, word] : k_kinds) {
    if (word == text) return kind;
  }
  return std::nullopt;
}

bool is_of_inventory(FaultKind kind) { return kind == FaultKind::wrong_mac || kind == FaultKind::wrong_password; }

std::string InjectedFault::text() const { return cat(name(kind), ":", machine, state.empty() ? "" : "@", state); }

Result<InjectedFault, std::string> parse_fault(std::string_view text, const std::vector<std::string>& machines) {
  const std::string whole = cat("--inject ", text, ": ");
  const std::size_t colon = text.find(':');
  const std::size_t at = text.find('@');
  const std::optional<FaultKind> kind = parse_fault_kind(text.substr(0, colon));
  if (!kind) {
    std::vector<std::string> words;
    for (const auto& [known, word] : k_kinds) words.emplace_back(word);
    const std::optional<std::string> near = nearest(std::string(text.substr(0, colon)), words);
    return cat(whole, "one of ", join(words, ", "), " is expected before the ':'",
               near ? cat("; did you mean ", *near, "?") : "");
  }
  if (colon == std::string_view::npos) return cat(whole, "FAULT:MACHINE[@STATE] is expected");
  InjectedFault fault;
  fault.kind = *kind;
  fault.machine = text.substr(colon + 1, at == std::string_view::npos ? at : at - colon - 1);
  if (at != std::string_view::npos) fault.state = text.substr(at + 1);
  if (std::find(machines.begin(), machines.end(), fault.machine) == machines.end()) {
    const std::optional<std::string> near = nearest(fault.machine, machines);
    return cat(whole, "the site has no machine '", fault.machine, "'", near ? cat(" (", *near, "?)") : "");
  }
  if (at != std::string_view::npos && !parse_state(fault.state))
    return cat(whole, "'", fault.state, "' is no state of a node (deploying, 'wait call-back', inspecting, …)");
  if (is_of_inventory(fault.kind) && at != std::string_view::npos)
    return cat(whole, "what is wrong in an inventory is so from the beginning: leave out @", fault.state);
  if (fault.kind == FaultKind::power_loss && fault.state.empty())
    return cat(whole, "say when: power-loss:", fault.machine, "@deploying");
  return fault;
}

std::vector<InjectedFault> FaultPlan::take(const std::string& machine, const std::string& state, bool any_machine) {
  std::vector<InjectedFault> due;
  const auto is_due = [&](const InjectedFault& fault) {
    return fault.state == state && (any_machine || fault.machine == machine);
  };
  std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(due), is_due);
  std::erase_if(waiting_, is_due);
  return due;
}

std::vector<InjectedFault> FaultPlan::at_start() { return take("", "", true); }

std::vector<InjectedFault> FaultPlan::on_state(const std::string& machine, const std::string& state) {
  if (state.empty()) return {};
  return take(machine, state, false);
}

}  // namespace hearth::bootstrap
