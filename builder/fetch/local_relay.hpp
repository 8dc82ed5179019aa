// Places of this machine's loopback for processes in a network of their own: connections and datagrams that reach a
// socket there are passed on to the same address and port here.
#pragma once

#include <vector>

#include "base/sys/fd.hpp"

namespace hearth::builder::fetch {

/// Passes on what reaches `sockets`, which belong to another network namespace and are bound (those of streams listen);
/// never returns but when it can't wait any more. For a process of its own: its threads end with it.
void relay_forever(const std::vector<Fd>& sockets);

}  // namespace hearth::builder::fetch
