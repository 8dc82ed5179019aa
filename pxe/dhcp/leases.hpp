// LeaseTable: who has which address until when. Pure: time comes in with each call; changes come out as values, for the
// journal (dhcp/journal.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pxe/net/address.hpp"

namespace hearth::pxe::dhcp {

/// Seconds since 1970: leases outlive the process.
using Seconds = std::int64_t;

struct Lease {
  enum class State : char { offered = 'o', bound = 'b', released = 'r', declined = 'd' };
  Ipv4 address;
  Mac mac;  ///< of the machine that has it, or had it last
  State state = State::offered;
  Seconds expires = 0;
  std::string hostname;
  bool operator==(const Lease&) const = default;
};

class LeaseTable {
 public:
  /// Takes a lease as it is, whatever was known of its address and its machine before.
  void put(const Lease& lease);
  /// What is known of an address or a machine, expired or not.
  [[nodiscard]] const Lease* of(Ipv4 address) const;
  [[nodiscard]] const Lease* of(const Mac& mac) const;
  /// Whether `mac` may have this address now: nobody else holds it.
  [[nodiscard]] bool is_free_for(Ipv4 address, const Mac& mac, Seconds now) const;
  using Reserved = std::function<bool(Ipv4)>;
  /// An address of the ranges that nobody holds and nobody has reserved: one that was never used, else the one whose
  /// lease ended first.
  [[nodiscard]] std::optional<Ipv4> find_free(const std::vector<AddressRange>& ranges, const Reserved& reserved,
                                              Seconds now);
  /// Up to `count` addresses that find_free() would give next: unused ones, then those whose lease has ended.
  [[nodiscard]] std::vector<Ipv4> next_free(const std::vector<AddressRange>& ranges, const Reserved& reserved,
                                            Seconds now, std::size_t count) const;
  /// Those in the ranges that somebody holds; the others are not looked at.
  [[nodiscard]] std::vector<const Lease*> held(const std::vector<AddressRange>& ranges, Seconds now) const;
  [[nodiscard]] std::vector<Lease> all() const;
  [[nodiscard]] std::size_t size() const { return by_address_.size(); }

 private:
  using Ends = std::set<std::pair<Seconds, Ipv4>>;
  [[nodiscard]] const Ends& ends_in(const AddressRange& range) const;

  std::map<Ipv4, Lease> by_address_;
  std::map<Mac, Ipv4> by_mac_;
  /// When leases end, of each range that was asked for: a pool that is used up is not sought in a whole hall's leases.
  mutable std::map<std::pair<Ipv4, Ipv4>, Ends> ends_;
  std::map<Ipv4, Ipv4> cursors_;  ///< of each range, by its first address: behind it nothing has been used yet
};

}  // namespace hearth::pxe::dhcp
