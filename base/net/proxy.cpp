#include "base/net/proxy.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/net/look_up.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

std::string in_either_case(const Environment& env, const std::string& lower, const std::string& upper) {
  for (const std::string& name : {lower, upper}) {
    const auto found = env.find(name);
    if (found != env.end() && !found->second.empty()) return found->second;
  }
  return "";
}

/// "10.0.0.0/8" holds "10.1.2.3", and "127.1", which is 127.0.0.1; "fd00::/8" holds "fd00::1".
bool in_network(const std::string& host, const std::string& network) {
  const std::size_t slash = std::min(network.find('/'), network.size());
  const std::string address = address_bytes(host);
  const std::string base = address.empty() ? "" : address_bytes(network.substr(0, slash));
  if (address.empty() || address.size() != base.size()) return false;
  if (slash == network.size()) return address == base;
  const std::optional<std::uint64_t> bits = parse_number(network.substr(slash + 1));
  if (!bits || *bits > address.size() * 8) return false;
  const std::size_t whole = static_cast<std::size_t>(*bits / 8);
  const unsigned rest = static_cast<unsigned>(*bits % 8);
  if (address.compare(0, whole, base, 0, whole) != 0) return false;
  return rest == 0 || (static_cast<unsigned char>(address[whole] ^ base[whole]) >> (8 - rest)) == 0;
}

bool in_domain(const std::string& host, std::string domain) {
  if (domain.compare(0, 1, "*") == 0) domain.erase(0, 1);
  if (domain.compare(0, 1, ".") == 0) domain.erase(0, 1);
  if (domain.empty()) return false;
  if (host == domain) return true;
  return host.size() > domain.size() && host.compare(host.size() - domain.size(), domain.size(), domain) == 0 &&
         host[host.size() - domain.size() - 1] == '.';
}

bool is_excluded(const Url& url, const std::string& entry) {
  if (entry == "*") return true;
  const std::string port = cat(":", url.port);
  if (entry == cat(url.host, port) || entry == cat("[", url.host, "]", port) || entry == cat("[", url.host, "]"))
    return true;
  return in_network(url.host, entry) || in_domain(url.host, entry);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || in_network(host, "::1") || in_network(host, "127.0.0.0/8") ||
         in_domain(host, "localhost");
}

}  // namespace

ProxySettings ProxySettings::from(const Environment& env) {
  ProxySettings settings;
  settings.http = in_either_case(env, "http_proxy", "HTTP_PROXY");
  settings.https = in_either_case(env, "https_proxy", "HTTPS_PROXY");
  for (const std::string& entry : split(in_either_case(env, "no_proxy", "NO_PROXY"), ',')) {
    const std::string_view text = trim(entry);
    if (!text.empty()) settings.excluded.push_back(to_lower(text));
  }
  return settings;
}

std::optional<Url> proxy_for(const Url& url, const ProxySettings& settings) {
  const std::string& proxy = url.is_tls() ? settings.https : settings.http;
  if (proxy.empty() || is_loopback(url.host)) return std::nullopt;
  for (const std::string& entry : settings.excluded) {
    if (is_excluded(url, entry)) return std::nullopt;
  }
  const bool has_scheme = proxy.find("://") != std::string::npos;
  const Url chosen = parse_url(has_scheme ? proxy : cat("http://", proxy)).value_or_throw();
  if (!chosen.is_tls()) return chosen;
  throw Error(ErrorKind::unsupported, cat("the proxy ", chosen.authority(), " is to be spoken to by TLS"))
      .hint("Name it as http://…: what goes through it to https:// servers is encrypted all the same.");
}

}  // namespace hearth
