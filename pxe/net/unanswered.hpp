// What machines ask of others and get no answer to, as it is overheard on their network: "who has" an address that
// nobody has, a connection to a port where nobody listens, a name server that is none. A system whose metadata can't be
// reached can't tell so itself; this is what the network knows of it. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "base/clock.hpp"
#include "pxe/net/frame.hpp"

namespace hearth::pxe {

struct Unanswered {
  std::string protocol;  ///< "arp", "tcp", "dns"
  std::string what;      ///< "who-has 192.0.2.99"
  std::string outcome;   ///< "nobody has 192.0.2.99"
};

/// A question that is asked three times in a row had no answer: systems repeat it only then. Each is told once a minute
/// for as long as it goes on; of one machine no more than ten in a minute, whatever it scans.
class UnansweredTries {
 public:
  /// Whether something listens on this machine at an address and port, by TCP or (name servers) UDP.
  using Serves = std::function<bool(Attempt::Kind, const Endpoint&)>;
  explicit UnansweredTries(Serves serves) : serves_(std::move(serves)) {}

  /// It seems so, for answers to others are not heard: whoever tells it is to ask for the address, too.
  [[nodiscard]] std::optional<Unanswered> asked(const ArpQuestion& question, MonotonicTime now);
  /// `is_ours`: it was sent to an address of this machine, so whether anything listens there is known.
  [[nodiscard]] std::optional<Unanswered> tried(const Mac& mac, const Attempt& attempt, bool is_ours,
                                                MonotonicTime now);

 private:
  using Key = std::tuple<Mac, std::string, std::uint16_t>;  ///< who, what, from which port
  struct Row {
    int times = 0;
    MonotonicTime first;
    std::optional<MonotonicTime> told;
  };
  struct Minute {
    MonotonicTime began;
    int told = 0;
  };
  bool is_due(const Key& key, bool is_known, MonotonicTime now);
  bool may_tell(const Mac& mac, MonotonicTime now);

  Serves serves_;
  std::map<Key, Row> rows_;
  std::map<Mac, Minute> minutes_;
};

/// Where sockets wait for others, by a table of /proc/net: tcp, tcp6 (LISTEN), udp, udp6 (not connected). At any
/// address: 0.0.0.0.
[[nodiscard]] std::set<Endpoint> listeners_in(std::string_view table);

}  // namespace hearth::pxe
