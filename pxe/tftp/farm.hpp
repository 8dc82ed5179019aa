// TFTP on several processors: servers with a reactor each, on the same ports. The kernel gives each client, by its
// address and port, to one of them, and always to the same (SO_REUSEPORT).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pxe/tftp/server.hpp"

namespace hearth::pxe::tftp {

class Farm {
 public:
  /// `source` and `log` are called from all their threads. Limits hold for all together.
  Farm(std::size_t servers, const Clock& clock, ContentSource& source, RequestLog& log, Limits limits = {});

  /// As Server::listen(), with all of them.
  Endpoint listen(const Endpoint& local, const std::string& device = {});
  /// To be run in a thread each.
  [[nodiscard]] const std::vector<std::unique_ptr<Reactor>>& reactors() const { return reactors_; }
  /// May be called from any thread and from a signal handler.
  void stop() noexcept;

  /// Eight for each processor, 4 to 16 in all. In lock-step each block wakes its client: a server's thread and its few
  /// clients then come to share a processor, which spares the costly waking of another. (Measured: 16 clients cost 15 %
  /// more CPU with two threads than with sixteen.)
  [[nodiscard]] static std::size_t usual_size();

 private:
  Quota quota_;
  std::vector<std::unique_ptr<Reactor>> reactors_;
  std::vector<std::unique_ptr<Server>> servers_;
};

}  // namespace hearth::pxe::tftp
