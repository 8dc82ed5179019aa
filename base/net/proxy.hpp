// Which proxy a request goes through, by the usual environment variables.
#pragma once

#include <optional>

#include "base/net/url.hpp"
#include "base/sys/process.hpp"

namespace hearth {

/// http_proxy, https_proxy, no_proxy (upper case too, lower case wins). A proxy without scheme is "http://…".
struct ProxySettings {
  std::string http;
  std::string https;
  std::vector<std::string> excluded;

  [[nodiscard]] static ProxySettings from(const Environment& env);
};

/// Nothing = connect directly. Entries of no_proxy are "*", a host, a domain (with or without leading dot; sub-domains
/// match), host:port, an address or a network (10.0.0.0/8, fd00::/8). Loopback is never proxied. Throws Error: input
/// when the proxy's URL is wrong, unsupported when it is https://.
[[nodiscard]] std::optional<Url> proxy_for(const Url& url, const ProxySettings& settings);

}  // namespace hearth
