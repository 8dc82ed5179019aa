// What the parts of a simulated site share: the scheduler, the links, the trace, and the rules that must always hold.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "bootstrap/conductor/conductor.hpp"
#include "pxe/dhcp/leases.hpp"
#include "simulation/layout.hpp"
#include "simulation/network.hpp"
#include "simulation/scheduler.hpp"
#include "simulation/tally.hpp"
#include "simulation/trace.hpp"

namespace hearth::simulation {

// Links, beside those of machines, which have their names.
constexpr const char* k_conductor_link = "the conductor";
constexpr const char* k_people_link = "the people";
[[nodiscard]] inline std::string bmc_link(std::size_t number) { return cat("BMC ", number + 1); }
constexpr const char* k_admin_token = "token-of-a-person";

/// What only that machine may ever be told.
[[nodiscard]] inline std::string secret_of(const std::string& machine) { return cat("<secret of ", machine, ">"); }

/// What must hold at every moment, whatever goes wrong. Who sees it broken says so here; the first one ends the run.
class Rules {
 public:
  Rules(Scheduler& scheduler, Trace& trace) : scheduler_(scheduler), trace_(trace) {}

  void broken(const std::string& what);
  [[nodiscard]] const std::optional<std::string>& first() const { return first_; }

  // What the parts see.
  /// A commit of the conductor is durable; `in_doubt`: its disk was cut off meanwhile, so that it may be, or not.
  void committed(const bootstrap::Ledger& ledger, const bootstrap::Committed& what, bool in_doubt);
  /// The conductor has started again: nothing that was durable may be missing, and of what is in doubt all or nothing.
  void started(bootstrap::Ledger& ledger);
  /// A machine's agent begins to write an image. `boot`: which start of the machine it is.
  void image_begun(const std::string& machine, OwnerId boot, const std::string& disk, bool is_meant);
  /// The DHCP server's ACK leaves, to what was asked then.
  void leased(const std::string& machine, pxe::Ipv4 address, MonotonicTime asked, Duration time);
  void released(pxe::Ipv4 address) { leases_.erase(address); }
  /// What people are shown of nodes.
  void shown(const Json& nodes);
  /// The conductor sends a machine's BMC a command that changes its power: Redfish's ResetType.
  void power_ordered(const std::string& machine, const std::string& what);
  /// A BMC carries out an order to switch its machine off, however long ago that was given.
  void switched_off(const std::string& machine);
  /// A machine that asks is told to boot the deploy ramdisk.
  void ramdisk_told(const std::string& machine);
  /// A machine was answered with this.
  void told(const std::string& machine, const std::string& text);
  /// A system has started from that machine's disk.
  void system_runs(const std::string& machine, const std::string& image, const std::string& drive);

  /// What the conductor holds durable of a machine's node; null while it has none.
  [[nodiscard]] const bootstrap::Node* node_of(const std::string& machine) const;

 private:
  struct LeaseOf {
    std::string machine;
    MonotonicTime until;
  };
  struct WriteOf {
    OwnerId boot = 0;
    bootstrap::Stamp job = 0;
  };
  struct Before {
    bootstrap::Node node;
    MonotonicTime until;
  };
  void compare(bootstrap::Ledger& ledger);
  [[nodiscard]] bool is_from_before(const std::string& machine, const bootstrap::Node& node,
                                    const std::string& what) const;

  Scheduler& scheduler_;
  Trace& trace_;
  std::optional<std::string> first_;
  std::map<std::string, bootstrap::Node> nodes_;  ///< by name, as they are durable
  std::map<std::string, Before> before_;          ///< as they were before their last job began, or ended
  std::set<std::string> strays_;  ///< machines that an order of before the conductor's start may yet switch off
  MonotonicTime strays_end_;
  std::int64_t last_event_ = 0;
  struct Doubt {
    std::map<std::string, bootstrap::Node> nodes;
    std::int64_t last_event = 0;
  };
  std::optional<Doubt> doubt_;
  std::map<pxe::Ipv4, LeaseOf> leases_;
  std::map<std::string, WriteOf> writes_;
};

/// What each part of a site gets of it.
struct Site {
  Scheduler& scheduler;
  Network& network;
  Trace& trace;
  Rules& rules;
  const Layout& layout;
  Tally& tally;
  std::uint64_t seed;
  std::string directory;  ///< a real one, for the few files that are
  /// Where DHCP goes, and how its answers come back; null while nobody serves.
  using Reply = std::function<void(const std::string& bytes)>;
  std::function<void(const std::string& bytes, const std::string& from, const Reply& reply)> dhcp_server{};
  /// A person sees to it that a machine's BMC has the password that is known.
  std::function<void(std::size_t machine)> mend_password{};

  void note(std::string_view kind, std::string_view who, std::string_view what) const {
    trace.note(scheduler.elapsed(), kind, who, what);
  }
};

}  // namespace hearth::simulation
