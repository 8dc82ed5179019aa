// Cards that ask for a network boot and are in no inventory. A node whose machine is not heard of may be one of them,
// under an address that was mistyped; or it is to become one (hearth node approve).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

class Strangers {
 public:
  /// It is known for an hour, but no more than 1,024 are at a time, as anybody may make up addresses: then those make
  /// room that have not asked for a minute.
  void note(const std::string& mac, const std::string& how, Stamp now);
  /// The card has become a node's.
  void forget(const std::string& mac) { known_.erase(mac); }
  /// "; meanwhile there asked, and is no node's: 52:54:00:00:00:02 (dhcp DISCOVER, 3 times)"; empty when there was
  /// none.
  [[nodiscard]] std::string text_since(Stamp since) const;
  /// Whether this one asked since then, and was no node's.
  [[nodiscard]] bool has_asked(const std::string& mac, Stamp since) const;
  /// Those that asked since then, the first few by their addresses.
  [[nodiscard]] std::vector<std::string> some_since(Stamp since) const;
  /// Those that wait to be approved as nodes: {"mac", "how", "times", "last_seen"}, the newest first.
  [[nodiscard]] Json waiting(Stamp now) const;

 private:
  struct Sighting {
    std::string how;
    Stamp at = 0;
    unsigned times = 0;
  };
  std::map<std::string, Sighting> known_;
  Stamp newest_ = 0;     ///< when one asked last
  Stamp tidy_next_ = 0;  ///< when room may be made again
};

}  // namespace hearth::bootstrap
