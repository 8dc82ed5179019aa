// The record of every request that a boot server answered, and of those that nobody answers: for events, metrics and
// the boot trace of a node.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "pxe/net/address.hpp"

namespace hearth::pxe {

struct RequestRecord {
  std::string protocol;  ///< "tftp", "http", "dhcp"; of what was overheard "arp", "tcp", "dns"
  Ipv4 client;
  std::string mac;      ///< where it is known
  std::string node;     ///< the name of the machine, where it is in the inventory
  std::string what;     ///< the file asked for, or the kind of DHCP message
  std::string outcome;  ///< "done", or why not
  bool good = true;
  bool overheard = false;  ///< asked of others, in vain (net/unanswered.hpp)
  std::uint64_t bytes = 0;
  Duration took{};
};

/// Where records go; called from the servers' threads.
class RequestLog {
 public:
  virtual ~RequestLog() = default;
  virtual void record(const RequestRecord& record) noexcept = 0;
};

}  // namespace hearth::pxe
