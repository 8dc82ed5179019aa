// Does the machine still reach its gateways and a given URL? For --check.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/net/http.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent::net {

struct Probes {
  HttpClient& http;    ///< with the environment's proxies, for the URL
  HttpClient& direct;  ///< without, for the gateways
  CommandRunner& runner;
  Clock& clock;
};

/// The next hops in the output of `ip route show default`. Link-local ones, which are learned from the routers
/// themselves, are left out.
[[nodiscard]] std::set<std::string> parse_gateways(const std::string& routes);

/// Whether the output of `ip neigh show ADDRESS` tells of an answer at the link layer.
[[nodiscard]] bool is_neighbour_there(const std::string& neighbours);

/// The default gateways that answer. Answering is resolving: a router may well drop pings.
[[nodiscard]] std::set<std::string> answering_gateways(Probes& probes);

struct CheckRequest {
  Url url;
  std::set<std::string> excused;  ///< gateways that did not answer before, either
  Duration patience{};
};

/// Tries again and again until the URL gives any HTTP answer and all gateways answer. Nothing = they do; else what is
/// wrong after the last try.
[[nodiscard]] std::optional<std::string> find_disconnection(const CheckRequest& request, Probes& probes);

/// The default gateways of the moment.
[[nodiscard]] std::set<std::string> present_gateways(CommandRunner& runner);

}  // namespace hearth::agent::net
