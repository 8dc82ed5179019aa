// Whom this machine asks for an image, as its conductor plans it, and what it found wrong with them.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::agent::deploy {

/// Another machine's agent that has the image, or gets it.
struct Peer {
  std::string url;    ///< of its port
  std::string token;  ///< for this image (frames::giving_token)
  std::string pin;    ///< TlsPeer::pin; empty: it is plain
  bool operator==(const Peer&) const = default;
};

/// One for each stripe of the image; nothing: the seed.
using PeerPlan = std::vector<std::optional<Peer>>;

/// [{"url", "token", "pin"}, null, …]; what can't be read is no peer.
[[nodiscard]] PeerPlan parse_peers(const Json& list);

enum class PeerFault {
  wrong,      ///< it gave what is no frame of the image
  gone,       ///< it did not answer, or hung up
  unreached,  ///< nor has any other been reached so far: it may be this machine's fault
  slow,
};

class Peers {
 public:
  /// Called for each that is blamed, by whoever found it at fault: the conductor can name another one at once.
  std::function<void()> blamed;

  /// For another image, nothing is known against anybody.
  void begin(PeerPlan plan);
  /// The conductor has another plan. No plan at all changes nothing: it knows of none.
  void follow(PeerPlan plan);
  [[nodiscard]] std::size_t stripes() const;
  /// Nothing: the seed. Who was at fault is asked no more, whatever the plan says.
  [[nodiscard]] std::optional<Peer> asked_for(std::size_t stripe) const;
  /// False: it was refused before.
  bool blame(const Peer& peer, PeerFault fault, const std::string& what);

  /// What was not told yet: [{"url", "fault", "what"}]. Each is told once.
  [[nodiscard]] Json take_faults();
  /// What was taken could not be told.
  void keep_faults(const Json& faults);

 private:
  [[nodiscard]] bool is_refused(const Peer& peer) const;

  mutable std::mutex lock_;
  PeerPlan plan_;
  std::vector<std::string> refused_;  ///< by token: a machine that has started anew is another
  Json faults_ = Json::array();
};

}  // namespace hearth::agent::deploy
