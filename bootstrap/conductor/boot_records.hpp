// What the boot servers of this process have written down: what machines asked for, and who has which address. They
// write in threads of their own; their files are read here, so that nobody waits for anybody.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bootstrap/store/store.hpp"
#include "pxe/boot/site.hpp"

namespace hearth::bootstrap {

/// Where a conductor that boots machines keeps what it must know of that, in its store.
inline constexpr const char* k_boot_document = "site/boot";

/// That document.
[[nodiscard]] Json boot_document(const pxe::Site& site, const std::string& url);

/// What a node's machine asked for, the newest `most` lines in order, of the last 4 MB of what all machines did (some
/// 20,000 requests); nothing where no machines are booted.
[[nodiscard]] std::optional<std::vector<Json>> boot_requests(Store& store, const Node& node, std::size_t most);

/// {"networks": [{subnet, server, mode, pools, addresses, held}], "leases": [{address, mac, state, until, hostname}]};
/// of a lease whose time is over the state is "over". Empty lists where no machines are booted.
[[nodiscard]] Json network_view(Store& store, Stamp now);

}  // namespace hearth::bootstrap
