#include "pxe/dhcp/leases.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace hearth::pxe::dhcp {

void LeaseTable::put(const Lease& lease) {
  const auto old = by_address_.find(lease.address);
  for (auto& [range, ends] : ends_) {
    if (lease.address < range.first || range.second < lease.address) continue;
    if (old != by_address_.end()) ends.erase({old->second.expires, lease.address});
    ends.insert({lease.expires, lease.address});
  }
  if (old != by_address_.end()) {
    const auto owner = by_mac_.find(old->second.mac);
    if (owner != by_mac_.end() && owner->second == lease.address) by_mac_.erase(owner);
  }
  by_address_[lease.address] = lease;
  if (lease.state != Lease::State::declined) by_mac_[lease.mac] = lease.address;
  check(by_mac_.size() <= by_address_.size(), "each machine has one lease at most", "addresses", by_address_.size(),
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

const LeaseTable::Ends& LeaseTable::ends_in(const AddressRange& range) const {
  const auto [known, is_new] = ends_.try_emplace({range.first, range.last});
  if (is_new) {
    for (auto at = by_address_.lower_bound(range.first); at != by_address_.end() && at->first <= range.last; ++at)
      known->second.insert({at->second.expires, at->first});
  }
  return known->second;
}

std::optional<Ipv4> LeaseTable::find_free(const std::vector<AddressRange>& ranges, const Reserved& reserved,
                                          Seconds now) {
  for (const AddressRange& range : ranges) {
    Ipv4& cursor = cursors_.try_emplace(range.first, range.first).first->second;
    for (; cursor <= range.last; ++cursor.value) {
      if (of(cursor) == nullptr && !reserved(cursor)) return cursor;
    }
  }
  std::optional<std::pair<Seconds, Ipv4>> first;
  for (const AddressRange& range : ranges) {
    for (const auto& end : ends_in(range)) {
      if (end.first > now || (first && *first < end)) break;
      if (reserved(end.second)) continue;
      first = end;
      break;
    }
  }
  return first ? std::optional(first->second) : std::nullopt;
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
  std::vector<std::pair<Seconds, Ipv4>> ended;
  for (const AddressRange& range : ranges) {
    std::size_t left = count - found.size();
    const Ends& ends = ends_in(range);
    for (auto end = ends.begin(); left > 0 && end != ends.end() && end->first <= now; ++end) {
      if (reserved(end->second)) continue;
      ended.push_back(*end);
      --left;
    }
  }
  std::sort(ended.begin(), ended.end());
  for (std::size_t at = 0; at < ended.size() && found.size() < count; ++at) found.push_back(ended[at].second);
  return found;
}

std::vector<const Lease*> LeaseTable::held(const std::vector<AddressRange>& ranges, Seconds now) const {
  std::vector<const Lease*> found;
  for (const AddressRange& range : ranges) {
    const Ends& ends = ends_in(range);
    for (auto each = ends.upper_bound({now, Ipv4{~0U}}); each != ends.end(); ++each) found.push_back(of(each->second));
  }
  return found;
}

std::vector<Lease> LeaseTable::all() const {
  std::vector<Lease> leases;
  for (const auto& [address, lease] : by_address_) leases.push_back(lease);
  return leases;
}

}  // namespace hearth::pxe::dhcp
