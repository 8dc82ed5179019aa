// What the boot servers are told of each node, from commit to commit, and what machines ask of them, as signs of life
// for the conductor: all of the boot service but its sockets.
#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "bootstrap/boot/boot_wish.hpp"
#include "bootstrap/conductor/conductor.hpp"
#include "pxe/boot/node_table.hpp"
#include "pxe/serve/request_log.hpp"

namespace hearth::bootstrap {

class BootDesk final : public pxe::RequestLog {
 public:
  /// Told what the machine at an address asks in vain; may be empty.
  using InVain = std::function<void(const std::string& address, const std::string& what)>;
  BootDesk(Conductor& conductor, AgentFace agents, InVain in_vain);
  BootDesk(const BootDesk&) = delete;
  BootDesk& operator=(const BootDesk&) = delete;

  /// From now on each commit's nodes are told to the servers; the conductor must not commit any more when this is gone.
  void follow();
  /// For the servers' threads.
  [[nodiscard]] const pxe::NodeBook& nodes() const { return nodes_; }
  void record(const pxe::RequestRecord& record) noexcept override;
  /// On the conductor's thread: hands on what machines have asked for since.
  void tick();

 private:
  void put(const Node& node);

  struct Sign {
    std::string mac;
    std::string address;
    std::string how;
    Conductor::Sign kind = Conductor::Sign::asks;
  };

  Conductor& conductor_;
  AgentFace agents_;
  InVain in_vain_;
  pxe::NodeTable nodes_;
  std::mutex mutex_;
  std::deque<Sign> signs_;
};

}  // namespace hearth::bootstrap
