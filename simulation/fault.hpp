// What goes wrong in a world, and when: drawn from the seed before anything begins, so that a failure can be shrunk to
// the fewest of them that still show it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace hearth::simulation {

enum class FaultKind : std::uint8_t {
  kill_conductor,  ///< kill -9; it starts again in some seconds
  power_cut,       ///< of the conductor's host: what its disk had not synced is gone, in part or whole
  full_disk,       ///< of the conductor's host
  lossy_net,       ///< a fifth of all packets are lost, others come twice
  slow_net,        ///< up to two seconds more for each packet
  cut_machine,     ///< its link
  cut_bmc,         ///< the link of its BMC
  slow_bmc,        ///< half a minute for each answer
  hung_bmc,        ///< takes connections and says nothing
  lying_bmc,       ///< says yes and does nothing, and now and then the wrong power
  wrong_password,  ///< somebody has changed that of its BMC, until a person looks after it
  power_loss,      ///< of a machine
  dead_disk,       ///< of a machine: writes fail until a person has replaced it
  slow_boot,       ///< minutes more in its firmware
  twice,           ///< a person sends the same order twice
  wrong_order,     ///< a person gives another machine an order that was not meant for it
  lost_answers,    ///< a third of what is asked by HTTP is done, and the connection ends before the answer
  site_power,      ///< all machines lose power at once; most come back
  closed_bmc,      ///< its service is switched off: connections to it are refused
};
constexpr int k_fault_kinds = 19;
[[nodiscard]] std::string_view name(FaultKind kind);
[[nodiscard]] std::string_view meaning(FaultKind kind);  ///< "its disk takes no writes"
[[nodiscard]] std::string_view advice(FaultKind kind);   ///< what makes it rarer, or shorter; may be empty
[[nodiscard]] std::optional<FaultKind> parse_kind(std::string_view name);
[[nodiscard]] bool is_of_machine(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kill_conductor;
  std::size_t machine = 0;  ///< for those of machines
  Duration begin{};
  Duration length{};  ///< 0: it happens at once
  bool operator==(const Fault&) const = default;
};

/// "power-loss:node3@1234.5+60". `names`: of the machines, where they are others.
[[nodiscard]] std::string text_of(const Fault& fault, const std::vector<std::string>& names = {});
[[nodiscard]] std::string text_of(const std::vector<Fault>& faults, const std::vector<std::string>& names = {});
/// The same with commas between; the error names what is not known.
[[nodiscard]] Result<std::vector<Fault>, std::string> parse_faults(std::string_view text,
                                                                   const std::vector<std::string>& names = {});
/// Those of a seed, in order of their beginnings. None begins or lasts beyond `end`.
[[nodiscard]] std::vector<Fault> faults_of(std::uint64_t seed, std::size_t machines, Duration end);

}  // namespace hearth::simulation
