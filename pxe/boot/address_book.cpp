#include "pxe/boot/address_book.hpp"

namespace hearth::pxe {

namespace {
constexpr std::size_t k_limit = std::size_t{1} << 20U;
}

void AddressBook::put(Ipv4 address, const Mac& mac) {
  const std::lock_guard lock(mutex_);
  if (macs_.size() >= k_limit) macs_.clear();
  macs_[address.value] = mac;
}

std::optional<Mac> AddressBook::find(Ipv4 address) const {
  const std::lock_guard lock(mutex_);
  const auto found = macs_.find(address.value);
  if (found == macs_.end()) return std::nullopt;
  return found->second;
}

}  // namespace hearth::pxe
