// Which machine has which address, as far as leases tell, or, beside another DHCP server, what machines ask for.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>

#include "pxe/net/address.hpp"

namespace hearth::pxe {

/// Called from several threads.
class AddressBook {
 public:
  void put(Ipv4 address, const Mac& mac);
  [[nodiscard]] std::optional<Mac> find(Ipv4 address) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint32_t, Mac> macs_;
};

}  // namespace hearth::pxe
