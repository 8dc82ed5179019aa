#include "agent/deploy/surroundings.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/net/look_up.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

std::string RealSurroundings::address_towards(const Url& url) {
  for (const SocketAddress& address :
       look_up(url.host, url.port, Deadline::after(std::chrono::seconds(10), clock_), clock_)) {
    const Fd socket(::socket(address.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (!socket || ::connect(socket.get(), address.get(), address.length) != 0) continue;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (own.ss_family == AF_INET) {
      return ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&own)->sin_addr, text.data(), text.size());
    }
    return cat("[",
               ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&own)->sin6_addr, text.data(), text.size()),
               "]");
  }
  return "";
}

std::shared_ptr<void> RealSurroundings::listen(std::uint16_t port, RestServer::Handler handler, const TlsIdentity* tls,
                                               RestServer::Admission admits) {
  return std::make_shared<RestServer>(port, std::move(handler), tls, std::move(admits));
}

void RealSurroundings::wake() {
  const std::lock_guard lock(lock_);
  woken_ = true;
  changed_.notify_all();
}

bool RealSurroundings::wait(Duration duration) {
  std::unique_lock lock(lock_);
  const bool woken = changed_.wait_for(lock, duration, [this] { return woken_; });
  woken_ = false;
  return !woken;
}

}  // namespace hearth::agent::deploy
