// The answer that spares iPXE its wait for IPv6: an empty Router Advertisement, which announces no router, no prefix
// and no DHCPv6 (RFC 4861 section 4.2). iPXE asks for one before it uses its DHCPv4 lease, for some 13 s when nobody
// answers. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pxe/net/address.hpp"

namespace hearth::pxe {

struct RouterAnswer {
  Mac to;
  std::string packet;  ///< IPv6, from our link-local address
};
/// Nothing for anything but a Router Solicitation with hop limit 255.
[[nodiscard]] std::optional<RouterAnswer> empty_advertisement(std::string_view packet, const Mac& from, const Mac& own);

}  // namespace hearth::pxe
