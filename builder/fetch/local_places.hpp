// Which places of this machine's loopback a build reaches all the same, though its hooks have a network of their own:
// those that it was told of, as its mirror or proxy, and the resolver. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder::fetch {

struct LocalPlace {
  std::string address;  ///< digits
  std::uint16_t port = 0;
  bool datagrams = false;  ///< UDP; else TCP
  auto operator<=>(const LocalPlace&) const = default;
};

/// HOST:PORT of each URL in a text.
[[nodiscard]] std::vector<std::string> servers_named(std::string_view text);

/// On loopback and link-local addresses: the servers of URLs in `environment` and in the configuration that programs
/// read in /etc, those in `allowed` (HOST:PORT), and resolvers.
[[nodiscard]] std::set<LocalPlace> local_places(const Environment& environment, const FileReader& files,
                                                const std::vector<std::string>& allowed);

}  // namespace hearth::builder::fetch
