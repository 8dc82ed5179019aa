// An order to switch a node's machine off, kept with the node ("switching_off" in its internal) until it is answered: a
// BMC may yet carry out that of a conductor that was killed, so the machine is not started before it has given that up.
#pragma once

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

inline constexpr const char* k_switching_off = "switching_off";

class OffOrders {
 public:
  /// Of the conductor that starts now.
  explicit OffOrders(Stamp now) : began_(now) {}

  /// To be durable before it is given.
  void given(Node& node, Stamp now) const;
  /// Whatever was ordered of the node, by this conductor.
  void answered(Node& node, Stamp now) const;
  /// Until when an earlier conductor's may yet be carried out; 0: none.
  [[nodiscard]] Stamp stray_until(const Node& node, Stamp now) const;
  /// Why the machine is not started before `until`, for an event.
  [[nodiscard]] static std::string why_it_waits(Stamp until);

 private:
  Stamp began_;
};

}  // namespace hearth::bootstrap
