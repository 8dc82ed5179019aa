// A transfer's port for everybody but its client. The transfer's own socket is connected, so that the kernel needs to
// look for no route at each packet; what others send comes here, to a second socket of that port, and is answered with
// error 5 (RFC 1350 section 4), the transfer being left in peace.
#pragma once

#include "base/sys/fd.hpp"
#include "pxe/net/address.hpp"
#include "pxe/net/reactor.hpp"

namespace hearth::pxe::tftp {

class Strangers final : public Watcher {
 public:
  /// Connects `socket`, which is bound, to `client`, and listens on its port for others. Where no second socket is to
  /// be had, the kernel tells them that the port is closed. Throws Error when `client` can't be reached at all.
  Strangers(Reactor& reactor, const Fd& socket, const Endpoint& client);
  ~Strangers() override;
  void ready(std::uint32_t events) override;

 private:
  Reactor& reactor_;
  Fd socket_;
};

}  // namespace hearth::pxe::tftp
