// The boot servers of a site - DHCP or proxyDHCP, TFTP, HTTP boot - as an object: for `hearth pxe serve`, and for
// programs that keep an inventory of their own and run the servers in their process (pxe/README.md has an example).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "pxe/boot/node_table.hpp"
#include "pxe/boot/site.hpp"
#include "pxe/dhcp/lease_keeper.hpp"
#include "pxe/serve/request_log.hpp"

namespace hearth::pxe {

struct BootOptions {
  bool force = false;                      ///< start although other DHCP servers answer or boot files are missing
  std::uint64_t http_rate = 0;             ///< bytes a second in all; 0 = without limit
  std::uint64_t http_rate_per_client = 0;  ///< bytes a second to one address
  dhcp::LeaseKeeper* leases = nullptr;     ///< where they live; null: in the state directory
  RequestLog* observer = nullptr;          ///< told of every request with its node, from the servers' threads
  std::function<bool()> rests;             ///< while it says so nobody is answered; asked from the servers' threads
  std::function<void()> failed;            ///< called from a server's thread when it can't go on; the reason is logged
};

class BootServers {
 public:
  /// Opens every socket (ports 67, 69, 80, 4011 and packet sockets: CAP_NET_BIND_SERVICE, CAP_NET_RAW) and answers
  /// nobody yet. Of `site`, the list of nodes is left out of account: `nodes` is asked, for each request, and must
  /// outlive this. Throws Error.
  BootServers(const Site& site, const NodeBook& nodes, const BootOptions& options, const Clock& clock, Logger& logger);
  ~BootServers();
  BootServers(const BootServers&) = delete;
  BootServers& operator=(const BootServers&) = delete;

  /// Listens for other DHCP servers on the link, for a moment. Throws Error where there is one and this is to be a full
  /// server, unless forced.
  void look_around();
  /// From here on clients are answered, from threads of its own. No right is needed any more: who started as root may
  /// become somebody else before this.
  void start();
  /// New settings (networks, profiles, policies, certificate), from the next request on. Interfaces and ports stay as
  /// they were, as does a certificate whose key can't be read any more; warnings say so. So does the state directory.
  /// Throws Error when the site's root can't be opened: then all is as before.
  void use(const Site& site);
  /// The card that an address was leased to last; nothing when it never was. From any thread.
  [[nodiscard]] std::optional<Mac> leased_to(Ipv4 address) const;
  /// The counters, as /metrics gives them.
  [[nodiscard]] std::string metrics() const;
  [[nodiscard]] bool has_failed() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::pxe
