// A network of the build's own: loopback and nothing else, with the proxy's port open in it. The proxy itself stays
// where the network is: the listening socket is handed to it.
#pragma once

#include <cstdint>

#include "base/sys/fd.hpp"

namespace hearth::builder::fetch {

/// The same in every build, so that environments and keys of layers are.
inline constexpr std::uint16_t k_proxy_port = 3128;

/// Moves this process into a new network namespace, brings up loopback and listens there. Needs CAP_SYS_ADMIN in its
/// user namespace. Throws Error.
[[nodiscard]] Fd cut_network();

/// Of the network namespace that this process is in. Throws Error.
void bring_up_loopback();

/// Two ends to pass a descriptor over, from one process to another.
struct Handover {
  Fd giver;
  Fd taker;
  [[nodiscard]] static Handover create();
};
void give_descriptor(const Fd& giver, const Fd& descriptor);
/// Waits; an empty Fd when the giver went away without giving.
[[nodiscard]] Fd take_descriptor(const Fd& taker);

}  // namespace hearth::builder::fetch
