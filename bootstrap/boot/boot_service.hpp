// The boot servers of pxe in the conductor's process: what each machine gets follows its node from commit to commit,
// and what machines ask for comes back as signs of life.
#pragma once

#include <functional>
#include <memory>

#include "base/log.hpp"
#include "bootstrap/boot/boot_desk.hpp"
#include "bootstrap/boot/home_leases.hpp"
#include "pxe/boot_servers.hpp"

namespace hearth::bootstrap {

class BootService {
 public:
  struct Options {
    bool force = false;                ///< even where another DHCP server answers
    Home* home = nullptr;              ///< leases live there; null: in the site's state directory. Must outlive this
    std::function<bool()> rests = {};  ///< while it says so nobody is answered; asked from any thread
    AgentFace agents;                  ///< without a URL: the first network's server, port 6385
    BootDesk::InVain in_vain;
  };
  /// Opens the servers' ports; answers nobody yet. The conductor must not commit any more when this is gone. Throws
  /// Error.
  BootService(const pxe::Site& site, const Options& options, Conductor& conductor, const Clock& clock, Logger& log);
  BootService(const BootService&) = delete;
  BootService& operator=(const BootService&) = delete;

  /// Looks for other DHCP servers; throws Error where there is one, unless forced. Needs the rights of the start.
  void look_around();
  /// Serves, from threads of its own, and needs no rights any more.
  void start();
  /// A server's thread has ended; the reason is in the log. Nothing is served any more that is worth to go on for.
  [[nodiscard]] bool has_failed() const { return servers_->has_failed(); }
  /// On the conductor's thread: hands on what machines have asked for since.
  void tick() { desk_.tick(); }
  /// From any thread: the home has kept more, or is in trouble.
  void look_at_home() {
    if (leases_) leases_->look();
  }

 private:
  BootDesk desk_;
  std::unique_ptr<HomeLeases> leases_;
  std::unique_ptr<pxe::BootServers> servers_;
};

}  // namespace hearth::bootstrap
