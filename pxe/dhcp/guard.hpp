// The guard against other DHCP servers on the link: what it asks, and what it makes of the answers. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "pxe/dhcp/leases.hpp"
#include "pxe/dhcp/message.hpp"

namespace hearth::pxe::dhcp {

class Guard {
 public:
  /// `own`: the addresses under which we answer; `allowed`: other servers that are meant to be there.
  Guard(std::set<Ipv4> own, std::set<Ipv4> allowed) : own_(std::move(own)), allowed_(std::move(allowed)) {}

  /// A DISCOVER from a machine that does not exist, as network firmware of a PC sends it. Answers are to be broadcast.
  [[nodiscard]] static Message probe(const Mac& mac, std::uint32_t xid);

  /// A packet that another machine sent to port 68. Returns a report when it comes from a server that must not be
  /// there: its address, its MAC, and what it offers; about each server at most one in ten minutes. A machine that
  /// answers under our own address - the same seed started twice - is reported once a minute.
  [[nodiscard]] std::optional<std::string> heard(std::string_view ip_packet, const Mac& from, Seconds now);
  [[nodiscard]] std::size_t strangers() const { return reported_.size(); }
  /// A new site's addresses, and its friends; what was heard so far stays.
  void use(std::set<Ipv4> own, std::set<Ipv4> allowed) {
    own_ = std::move(own);
    allowed_ = std::move(allowed);
  }

 private:
  std::set<Ipv4> own_;
  std::set<Ipv4> allowed_;
  [[nodiscard]] bool is_due(Ipv4 server, Seconds now, Seconds silence);

  std::map<Ipv4, Seconds> reported_;
};

}  // namespace hearth::pxe::dhcp
