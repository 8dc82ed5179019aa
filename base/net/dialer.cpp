#include "base/net/dialer.hpp"

#include <sys/stat.h>

#include <array>

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/net/http_reader.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

bool is_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

/// CONNECT through an HTTP proxy (RFC 9110 section 9.3.6).
void open_tunnel(Connection& connection, const Url& proxy, const Url& url, const Deadline& deadline) {
  const std::string host = url.host.find(':') == std::string::npos ? url.host : cat("[", url.host, "]");
  const std::string target = cat(host, ":", url.port);
  const std::string credentials =
      proxy.user_info.empty() ? "" : cat("Proxy-Authorization: ", basic_credentials(proxy.user_info), "\r\n");
  connection.write(cat("CONNECT ", target, " HTTP/1.1\r\nHost: ", target, "\r\n", credentials, "\r\n"), deadline);
  HttpReader reader({.to_connect = true});
  std::array<char, 4096> buffer{};
  while (!reader.done() && reader.problem().empty()) {
    const std::size_t size = connection.read(buffer, deadline);
    size == 0 ? reader.finish() : reader.feed({buffer.data(), size});
  }
  const std::string problem = reader.problem();
  if (problem.empty() && reader.response().status / 100 == 2) return;
  throw Error(ErrorKind::io, cat("asking the proxy ", proxy.authority(), " for ", target, ": ",
                                 problem.empty() ? cat("it answered ", reader.response().status) : problem));
}

}  // namespace

std::string system_ca_file(const Environment& env) {
  const auto chosen = env.find("SSL_CERT_FILE");
  if (chosen != env.end() && !chosen->second.empty()) return chosen->second;
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                           "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                           "/var/lib/ca-certificates/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (is_file(path)) return path;
  }
  return "";
}

std::string basic_credentials(const std::string& user_info) {
  return cat("Basic ", base64_encode(percent_decode(user_info)));
}

Dialer::Dialer(const Clock& clock, const Environment& env, AddressCheck check)
    : clock_(clock),
      proxies_(ProxySettings::from(env)),
      check_(std::move(check)),
      system_ca_file_(hearth::system_ca_file(env)) {}

std::optional<Url> Dialer::plain_proxy(const Url& url) const {
  return url.is_tls() ? std::nullopt : proxy_for(url, proxies_);
}

const TlsContext& Dialer::context(const Trust& trust) {
  const std::string file = !trust.verify ? "" : trust.ca_file.empty() ? system_ca_file_ : trust.ca_file;
  const auto found = contexts_.find(file);
  return found != contexts_.end() ? found->second : contexts_.emplace(file, TlsContext(file)).first->second;
}

Connection Dialer::dial(const Url& url, const Trust& trust, const Deadline& deadline) {
  const std::optional<Url> proxy = proxy_for(url, proxies_);
  if (check_ && proxy && is_address(url.host)) {
    std::vector<SocketAddress> literal = look_up(url.host, url.port, deadline, clock_);
    require_address(url, check_, literal);
  }
  Connection connection =
      proxy ? Connection::open(*proxy, deadline, clock_) : Connection::open(url, deadline, clock_, check_);
  if (!url.is_tls()) return connection;
  if (proxy) open_tunnel(connection, *proxy, url, deadline);
  connection.start_tls(context(trust), {url.host, trust.verify}, deadline);
  return connection;
}

}  // namespace hearth
