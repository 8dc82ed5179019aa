// A site as the configuration of another DHCP server: dnsmasq, Kea or ISC dhcpd. TFTP and HTTP stay ours. Pure.
#pragma once

#include <string>

#include "pxe/boot/site.hpp"

namespace hearth::pxe {

[[nodiscard]] std::string export_dnsmasq(const Site& site);
[[nodiscard]] std::string export_kea(const Site& site);
[[nodiscard]] std::string export_isc(const Site& site);

}  // namespace hearth::pxe
