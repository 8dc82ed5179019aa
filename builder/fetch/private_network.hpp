// The network of hooks in a build that neither records nor replays its fetches: a namespace of their own, for which
// slirp4netns connects from this machine's. Hooks reach what the machine reaches, but neither its loopback, nor its
// link-local neighbours (cloud metadata), nor its abstract sockets. What the build names there is relayed
// (local_places.hpp).
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/sys/process.hpp"
#include "builder/fetch/local_places.hpp"
#include "builder/fetch/network_cut.hpp"

namespace hearth::builder::fetch {

/// Why hooks get this machine's network as it is; empty when they get their own. HEARTH_NETWORK is "host", "private"
/// (the build fails where it can't be had) or nothing. Throws Error: usage for another word, unsupported.
[[nodiscard]] std::string why_no_private_network(const Environment& environment);

class PrivateNetwork {
 public:
  PrivateNetwork(const Environment& environment, std::set<LocalPlace> places);
  PrivateNetwork(const PrivateNetwork&) = delete;
  PrivateNetwork& operator=(const PrivateNetwork&) = delete;
  ~PrivateNetwork();

  /// In the sandbox's process, in its first user namespace: moves it into the network, which is not connected yet.
  /// Hooks in a namespace below can't change it.
  void enter();
  /// In the starter, once the sandbox's process runs: connects it. Throws Error. Nothing happens when that process died
  /// before.
  void connect(pid_t sandbox);
  /// In the sandbox's process: waits for the starter.
  void wait_until_connected();

 private:
  /// slirp4netns shuts itself in; for an ordinary user it can do so only by the process of a namespace, which must not
  /// have gone on yet.
  bool waits_at_once_;
  fs::path program_;
  fs::path unshare_;
  std::set<LocalPlace> places_;
  Handover handover_ = Handover::create();
  Pipe life_line_ = Pipe::create();  ///< slirp4netns ends when its other end goes, however we end
  Fd said_;                          ///< what slirp4netns prints
  std::optional<Child> slirp_;
  pid_t relay_ = -1;
};

}  // namespace hearth::builder::fetch
