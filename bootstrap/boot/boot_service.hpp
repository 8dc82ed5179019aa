// The boot servers of pxe in the conductor's process: what each machine gets follows its node from commit to commit,
// and what machines ask for comes back as signs of life.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "base/log.hpp"
#include "bootstrap/boot/boot_wish.hpp"
#include "bootstrap/conductor/conductor.hpp"
#include "pxe/boot_servers.hpp"

namespace hearth::bootstrap {

class BootService final : private pxe::RequestLog {
 public:
  struct Options {
    bool force = false;  ///< even where another DHCP server answers
    AgentFace agents;    ///< without a URL: the first network's server, port 6385
    /// Told what the machine at an address asks in vain, from tick(); may be empty.
    std::function<void(const std::string& address, const std::string& what)> in_vain;
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
  void tick();

 private:
  void record(const pxe::RequestRecord& record) noexcept override;
  void put(const Node& node);

  struct Sign {
    std::string mac;
    std::string address;
    std::string how;
    Conductor::Sign kind = Conductor::Sign::asks;
  };

  Conductor& conductor_;
  AgentFace agents_;
  std::function<void(const std::string&, const std::string&)> in_vain_;
  pxe::NodeTable nodes_;
  std::mutex mutex_;
  std::deque<Sign> signs_;
  std::unique_ptr<pxe::BootServers> servers_;
};

}  // namespace hearth::bootstrap
