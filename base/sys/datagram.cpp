#include "base/sys/datagram.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>

#include "base/sys/fd.hpp"

namespace hearth {

bool send_datagram(const std::string& address, std::string_view data) noexcept {
  sockaddr_un target{};
  if (address.empty() || address.size() >= sizeof target.sun_path) return false;
  target.sun_family = AF_UNIX;
  std::memcpy(target.sun_path, address.data(), address.size());
  if (address.front() == '@') target.sun_path[0] = '\0';
  const Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
  const ssize_t sent = ::sendto(socket.get(), data.data(), data.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&target), length);
  return sent == static_cast<ssize_t>(data.size());
}

void notify_service_manager(const Environment& env, std::string_view state) noexcept {
  const auto socket = env.find("NOTIFY_SOCKET");
  if (socket != env.end()) send_datagram(socket->second, state);
}

}  // namespace hearth
