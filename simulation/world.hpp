// A whole site in one process, from a number: the product's own code, and a world around it that is played.
//
// **Real** are the conductor (flows, jobs, power watch, inventory, both REST faces behind their gates), its store,
// sealed, on SQLite, the Redfish driver, the client of agents, the boot desk; pxe's DHCP engine, messages, journal
// lines and all that its boot servers hand out (iPXE's scripts, GRUB's configurations, kernels); the deploy agent with
// its protocol, command board, REST face and choice of a disk.
//
// **Played** are time, chance, the host's disk below SQLite and the journal of leases (disk.hpp), the links and what is
// behind them: BMCs (the rehearsal's own Redfish face, which is slow, hangs, lies or has another password), firmware of
// both kinds and iPXE, machines and their disks, the system on them, and the person who wants them all active.
//
// **Not here**: the stack engine and the agents of running systems, the seed and its hand-over; TLS (agents speak
// HTTP), TFTP's windows, the bytes of images, IPMI. What these do is tried by tests in real time (tests/README.md).
//
// **Real time, still**: the few small files that the conductor keeps beside its store (the seal's keys, agents' logs)
// and those that are served lie in a directory of this machine; its file system is neither slow nor full.
//
// Nothing in it waits for anything real, so an hour takes a fraction of a second. All chance is from the seed: the same
// program and the same number give the same trace, bit for bit.
#pragma once

#include <functional>
#include <memory>

#include "simulation/calls.hpp"
#include "simulation/conductor_host.hpp"
#include "simulation/fault.hpp"
#include "simulation/people.hpp"

namespace hearth::simulation {

struct Wish {
  std::uint64_t seed = 1;
  std::size_t machines = 20;                    ///< of a site that is drawn
  std::shared_ptr<const Layout> layout{};       ///< null: one is drawn
  std::optional<std::vector<Fault>> faults{};   ///< nothing: those of the seed
  Duration trouble = std::chrono::minutes(15);  ///< how long there are faults
  Duration patience = std::chrono::hours(6);    ///< from then on to where all must be well
  std::uint64_t strangers = 18;                 ///< an hour: computers that nobody knows, and that want an address
  std::string directory = "/tmp";               ///< where its own is made, and removed again
  Trace::Keep keep = Trace::Keep::nothing;
  /// Asked after each event, where lines are kept: the run is over.
  std::function<bool(const std::vector<TraceLine>&)> enough{};
};

struct Played {
  std::string broken;  ///< the rule that did not hold; empty: all did
  std::string digest;
  Duration elapsed{};  ///< simulated
  std::uint64_t events = 0;
  std::vector<Fault> faults;
  std::vector<TraceLine> lines;
  Tally tally;
};

/// Plays one site from its blank machines to where all are active, and what must be so is. Throws Error where a signal
/// came that somebody waits for (StopSignals).
[[nodiscard]] Played play(const Wish& wish);

}  // namespace hearth::simulation
