// An address that a DHCP server of either family has lent: asked for again while it is ours, given up when it is not.
#pragma once

#include <functional>
#include <optional>

#include "base/clock.hpp"

namespace hearth::agent::deploy {

struct LeaseTerm {
  Duration renew{};  ///< when to ask for more time
  Duration valid{};  ///< zero: the server has taken it back
};

/// How long who holds an address waits before the server is asked for more time: ever less as the lease, of which so
/// much is `left`, runs out, but half a minute where it is not a shorter one; and before it is asked for another
/// address, behind that.
[[nodiscard]] Duration until_next_question(const LeaseTerm& term, Duration left);

class LeaseKeeper {
 public:
  /// What is asked of servers, and done to the interface. What comes is taken by the first two; nothing: nobody
  /// answers.
  struct Actions {
    std::function<std::optional<LeaseTerm>(const Deadline& end)> renew;  ///< waits no longer than the lease lasts
    std::function<std::optional<LeaseTerm>()> ask;
    std::function<void()>
        drop;  ///< takes the address from the interface: another machine may have it now (RFC 2131, 4.4.5)
  };
  LeaseKeeper(Actions actions, LeaseTerm term, Clock& clock);

  /// Waits until it is time, and asks once. What throws is tried again the next time.
  void step();

 private:
  /// A lease is counted from the moment when it was asked for (RFC 2131, 4.4.1).
  void take(const std::optional<LeaseTerm>& term, MonotonicTime asked);
  void give_up();

  Actions actions_;
  LeaseTerm term_;
  Clock& clock_;
  MonotonicTime until_;
  bool held_ = true;
};

}  // namespace hearth::agent::deploy
