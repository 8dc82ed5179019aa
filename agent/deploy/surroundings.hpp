// What goes on beside the agent's own thread, as a seam: the port for its orders, the thread of a long command, and who
// wakes it. RealSurroundings is real; simulation/ plays them by tasks of its scheduler.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "agent/deploy/rest/command_board.hpp"
#include "agent/deploy/rest/server.hpp"
#include "base/net/url.hpp"

namespace hearth::agent::deploy {

class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// The address of this machine from which `url` is reached, as a URL has it; empty when there is none.
  [[nodiscard]] virtual std::string address_towards(const Url& url) = 0;
  /// Orders are answered until what is returned goes; `tls` must outlive it, null: in clear. Throws Error(io).
  [[nodiscard]] virtual std::shared_ptr<void> listen(std::uint16_t port, RestServer::Handler handler,
                                                     const TlsIdentity* tls, RestServer::Admission admits) = 0;
  /// Where long commands run.
  [[nodiscard]] virtual CommandBoard::Beside beside() = 0;
  virtual void wake() = 0;
  /// False when woken before the time is over.
  [[nodiscard]] virtual bool wait(Duration duration) = 0;
};

class RealSurroundings final : public Surroundings {
 public:
  explicit RealSurroundings(const Clock& clock) : clock_(clock) {}
  [[nodiscard]] std::string address_towards(const Url& url) override;
  [[nodiscard]] std::shared_ptr<void> listen(std::uint16_t port, RestServer::Handler handler, const TlsIdentity* tls,
                                             RestServer::Admission admits) override;
  [[nodiscard]] CommandBoard::Beside beside() override { return own_thread(); }
  void wake() override;
  [[nodiscard]] bool wait(Duration duration) override;

 private:
  const Clock& clock_;
  std::mutex lock_;
  std::condition_variable changed_;
  bool woken_ = false;
};

}  // namespace hearth::agent::deploy
