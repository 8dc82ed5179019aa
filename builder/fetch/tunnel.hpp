// Bytes both ways between a client and a server, unseen.
#pragma once

#include "base/clock.hpp"
#include "base/net/connection.hpp"
#include "base/net/url.hpp"
#include "builder/fetch/channel.hpp"
#include "builder/fetch/recording.hpp"

namespace hearth::builder::fetch {

/// Connects, tells the client so, and passes bytes until one of them closes. When there is no connection, the client is
/// told why. Goes directly, past any proxy.
void tunnel(Channel& client, const Url& server, const Clock& clock, const AddressCheck& check,
            const OnFetchedBytes& on_bytes);

}  // namespace hearth::builder::fetch
