#include "base/net/held_client.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <string_view>
#include <utility>

namespace hearth {

bool HeldClient::has_gone() {
  static constexpr std::string_view k_interim = "HTTP/1.1 100 Continue\r\n\r\n";
  pollfd client{socket_, POLLRDHUP, 0};
  if (::poll(&client, 1, 0) <= 0) return false;
  if ((client.revents & (POLLERR | POLLHUP)) != 0 || end_of_sending_ == EndOfSending::is_gone) return true;
  if (std::exchange(end_of_sending_, EndOfSending::may_be_half) == EndOfSending::is_probed)
    (void)::send(socket_, k_interim.data(), k_interim.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return false;
}

}  // namespace hearth
