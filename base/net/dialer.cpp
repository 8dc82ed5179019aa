#include "base/net/dialer.hpp"

#include <sys/stat.h>

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/net/http_exchange.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr const char* k_tunnel_agent = "hearth/" HEARTH_VERSION;

bool is_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

/// Another text whenever the file is another, or has another content.
std::string version_of(const std::string& file) {
  struct stat info {};
  if (file.empty() || ::stat(file.c_str(), &info) != 0) return "";
  return cat(info.st_dev, " ", info.st_ino, " ", info.st_size, " ", info.st_mtim.tv_sec, " ", info.st_mtim.tv_nsec, " ",
             info.st_ctim.tv_sec, " ", info.st_ctim.tv_nsec);
}

/// CONNECT through an HTTP proxy (RFC 9110 section 9.3.6).
void open_tunnel(Connection& connection, const Url& proxy, const Url& url, const Deadline& deadline) {
  const HttpRequest asked{.method = "CONNECT", .url = url};
  HttpReader reader({.to_connect = true});
  try {
    connection.write(request_head(asked, proxy, k_tunnel_agent), deadline);
    read_answer(connection, reader, [&deadline] { return deadline; });
    const int status = reader.response().status;
    if (status / 100 != 2) throw Error(ErrorKind::io, cat("it answered ", status));
  } catch (const Error& error) {
    throw Error(ErrorKind::io,
                cat("asking the proxy ", proxy.authority(), " for ", url.host, ":", url.port, ": ", error.what()));
  }
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
    : clock_(clock), proxies_(ProxySettings::from(env)), check_(std::move(check)), env_(env) {}

std::optional<Url> Dialer::plain_proxy(const Url& url) const {
  return url.is_tls() ? std::nullopt : proxy_for(url, proxies_);
}

std::vector<std::string> Dialer::authorities(const Trust& trust) const {
  if (!trust.verify || !trust.pin.empty()) return {};
  if (!trust.ca_file.empty()) return {trust.ca_file};
  std::vector<std::string> files;
  if (const std::string system = system_ca_file(env_); !system.empty()) files.push_back(system);
  if (const std::string site = site_authority(); is_file(site)) files.push_back(site);
  return files;
}

std::string Dialer::site_authority() const {
  const auto named = env_.find(k_site_authority);
  return named == env_.end() ? "" : named->second;
}

/// A site's authority that is damaged is no reason to speak with nobody: what the system trusts holds without it.
Dialer::ReadAuthorities Dialer::read(const std::vector<std::string>& files) const {
  try {
    return {"", TlsContext(files), ""};
  } catch (const Error& error) {
    if (files.empty() || files.back() != site_authority()) throw;
    return {"", TlsContext({files.begin(), files.end() - 1}), error.what()};
  }
}

/// A daemon lives longer than a certificate: what was read is used as long as the files stay the same.
Dialer::ReadAuthorities Dialer::trusted(const Trust& trust) {
  const std::vector<std::string> files = authorities(trust);
  std::string version;
  for (const std::string& file : files) version += cat(version_of(file), "\n");
  const std::string names = join(files, "\n");
  const std::lock_guard guard(lock_);
  const auto found = contexts_.find(names);
  if (found != contexts_.end() && found->second.version == version) return found->second;
  ReadAuthorities authorities = read(files);
  authorities.version = version;
  return contexts_.insert_or_assign(names, std::move(authorities)).first->second;
}

void Dialer::forget_authorities() {
  const std::lock_guard guard(lock_);
  contexts_.clear();
}

Connection Dialer::dial(const Url& url, const Trust& trust, const Deadline& deadline, Tunnel tunnel) {
  if (!trust.pin.empty() && !url.is_tls()) {
    throw Error(ErrorKind::input, cat(url.masked(), " is not https, and the key that is pinned (SHA-256 ", trust.pin,
                                      ") can only be shown there"));
  }
  const std::optional<Url> proxy = proxy_for(url, proxies_);
  if (check_ && proxy && is_address(url.host)) {
    std::vector<SocketAddress> literal = look_up(url.host, url.port, deadline, clock_);
    require_address(url, check_, literal);
  }
  Connection connection =
      proxy ? Connection::open(*proxy, deadline, clock_) : Connection::open(url, deadline, clock_, check_);
  if (proxy && (url.is_tls() || tunnel == Tunnel::always)) open_tunnel(connection, *proxy, url, deadline);
  if (!url.is_tls()) return connection;
  const ReadAuthorities authorities = trusted(trust);
  try {
    connection.start_tls(authorities.context, {url.host, trust.verify, trust.pin}, deadline);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || authorities.left_out.empty()) throw;
    throw Error(ErrorKind::input,
                cat(error.what(), "; the site's authority is not among those that are trusted: ", authorities.left_out))
        .hint(cat("put ", site_authority(), " there again, from the server that made it, or remove it"));
  }
  return connection;
}

}  // namespace hearth
