// Dialer: a connection to the server of a URL, through a proxy where one is set, with TLS where the scheme wants it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/net/connection.hpp"
#include "base/net/proxy.hpp"

namespace hearth {

/// Names a PEM file that is trusted beside the system's authorities as soon as it is there. One that can't be read is
/// not trusted, and named where a certificate doesn't hold without it.
constexpr const char* k_site_authority = "HEARTH_SITE_AUTHORITY";

/// Whom to trust on one connection.
struct Trust {
  bool verify = true;
  std::string ca_file;  ///< PEM bundle that replaces the system's; empty = the system's
  std::string pin;      ///< as TlsPeer's
};

/// May be used by several threads at once.
class Dialer {
 public:
  /// Reads from `env`: proxies (see ProxySettings), SSL_CERT_FILE and k_site_authority. `check` is for servers; the
  /// caller chose his proxies himself. Of a server behind a proxy only an address in the URL can be checked.
  Dialer(const Clock& clock, const Environment& env, AddressCheck check = {});

  /// What goes through a proxy in a tunnel: TLS, and all that is more than a request and its answer.
  enum class Tunnel { for_tls, always };

  /// Throws Error: io, or input when the server's certificate does not hold.
  [[nodiscard]] Connection dial(const Url& url, const Trust& trust, const Deadline& deadline,
                                Tunnel tunnel = Tunnel::for_tls);
  /// The proxy of a plain request, which must name the whole URL to it. (TLS goes through a tunnel of dial's.)
  [[nodiscard]] std::optional<Url> plain_proxy(const Url& url) const;

  /// A system's bundle is megabytes in memory, and read again in 20 ms: whoever will not dial for a while need not keep
  /// it.
  void forget_authorities();

 private:
  struct ReadAuthorities {
    std::string version;  ///< of the files
    TlsContext context;
    std::string left_out;  ///< why the site's is not among them; empty when nothing is wrong with it
  };
  [[nodiscard]] std::vector<std::string> authorities(const Trust& trust) const;
  [[nodiscard]] std::string site_authority() const;
  [[nodiscard]] ReadAuthorities read(const std::vector<std::string>& files) const;
  [[nodiscard]] ReadAuthorities trusted(const Trust& trust);

  const Clock& clock_;
  ProxySettings proxies_;
  AddressCheck check_;
  Environment env_;
  std::mutex lock_;
  std::map<std::string, ReadAuthorities> contexts_;  ///< by CA files
};

/// The first that exists of SSL_CERT_FILE and the bundles of Debian, Fedora, SUSE and Alpine; empty when there is none.
[[nodiscard]] std::string system_ca_file(const Environment& env);

/// The value of an Authorization header for "user:password", as it stands, encoded, in a URL (RFC 7617).
[[nodiscard]] std::string basic_credentials(const std::string& user_info);

}  // namespace hearth
