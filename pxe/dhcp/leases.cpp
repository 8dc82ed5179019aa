#include "pxe/dhcp/leases.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace hearth::pxe::dhcp {

void LeaseTable::put(const Lease& lease) {
  const auto old = by_address_.find(lease.address);
  if (old != by_address_.end()) {
    by_expiry_.erase({old->second.expires, lease.address});
    const auto owner = by_mac_.find(old->second.mac);
    if (owner != by_mac_.end() && owner->second == lease.address) by_mac_.erase(owner);
  }
  by_address_[lease.address] = lease;
  by_expiry_.insert({lease.expires, lease.address});
  if (lease.state != Lease::State::declined) by_mac_[lease.mac] = lease.address;
  check(by_expiry_.size() == by_address_.size() && by_mac_.size() <= by_address_.size(),
        "each address has one lease and one end", "addresses", by_address_.size(), "ends", by_expiry_.size(),
        "machines", by_mac_.size());
}

const Lease* LeaseTable::of(Ipv4 address) const {
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? nullptr : &found->second;
}

const Lease* LeaseTable::of(const Mac& mac) const {
  const auto found = by_mac_.find(mac);
  return found == by_mac_.end() ? nullptr : of(found->second);
}

bool LeaseTable::is_free_for(Ipv4 address, const Mac& mac, Seconds now) const {
  const Lease* lease = of(address);
  if (lease == nullptr || lease->expires <= now) return true;
  return lease->mac == mac && lease->state != Lease::State::declined;
}

bool LeaseTable::in(const std::vector<AddressRange>& ranges, Ipv4 address) const {
  return std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& range) { return range.contains(address); });
}

std::optional<Ipv4> LeaseTable::find_free(const std::vector<AddressRange>& ranges, const Reserved& reserved,
                                          Seconds now) {
  for (const AddressRange& range : ranges) {
    Ipv4& cursor = cursors_.try_emplace(range.first, range.first).first->second;
    for (; cursor <= range.last; ++cursor.value) {
      if (of(cursor) == nullptr && !reserved(cursor)) return cursor;
    }
  }
  for (const auto& [expires, address] : by_expiry_) {
    if (expires > now) break;
    if (in(ranges, address) && !reserved(address)) return address;
  }
  return std::nullopt;
}

std::vector<Ipv4> LeaseTable::next_free(const std::vector<AddressRange>& ranges, const Reserved& reserved, Seconds now,
                                        std::size_t count) const {
  std::vector<Ipv4> found;
  for (const AddressRange& range : ranges) {
    const auto cursor = cursors_.find(range.first);
    Ipv4 address = cursor == cursors_.end() ? range.first : cursor->second;
    for (; address <= range.last && found.size() < count; ++address.value) {
      if (of(address) == nullptr && !reserved(address)) found.push_back(address);
    }
  }
  for (const auto& [expires, address] : by_expiry_) {
    if (expires > now || found.size() >= count) break;
    if (in(ranges, address) && !reserved(address)) found.push_back(address);
  }
  return found;
}

std::vector<const Lease*> LeaseTable::held(const std::vector<AddressRange>& ranges, Seconds now) const {
  std::vector<const Lease*> found;
  for (auto each = by_expiry_.upper_bound({now, Ipv4{~0U}}); each != by_expiry_.end(); ++each) {
    if (in(ranges, each->second)) found.push_back(of(each->second));
  }
  return found;
}

std::vector<Lease> LeaseTable::all() const {
  std::vector<Lease> leases;
  for (const auto& [address, lease] : by_address_) leases.push_back(lease);
  return leases;
}

}  // namespace hearth::pxe::dhcp
