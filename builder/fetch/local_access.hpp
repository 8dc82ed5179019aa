// What the proxy of a build does not connect to for its hooks: this machine's loopback, link-local addresses and cloud
// metadata, by whatever name. A build that has a mirror there says so: by --allow-local, or by naming it in a variable
// of diskimage-builder's, or in the host's own sources for apt, from which elements take their mirror. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/net/connection.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/fetch/local_places.hpp"

namespace hearth::builder::fetch {

/// HOST:PORT of each URL in DIB_ variables and in apt's sources.
[[nodiscard]] std::vector<std::string> locally_named(const Environment& environment, const FileReader& files);

/// A check that refuses such addresses but for servers in `allowed`: HOST, or HOST:PORT, as the URL has them.
[[nodiscard]] AddressCheck local_access(std::vector<std::string> allowed);

/// For what the builder asks in the place of hooks that have a network of their own: refuses such addresses but for
/// `places`, which those reach, too.
[[nodiscard]] AddressCheck as_hooks_reach(std::set<LocalPlace> places);
/// The same for a program that connects by itself: looks up the server that the URL names. True where nobody can tell.
[[nodiscard]] bool hooks_reach(const std::string& url, const std::set<LocalPlace>& places, const Clock& clock);

}  // namespace hearth::builder::fetch
