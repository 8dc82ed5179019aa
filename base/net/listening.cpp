#include "base/net/listening.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>

#include <array>

#include "base/error.hpp"
#include "base/net/look_up.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// Strictly: what inet_aton(3) takes besides ("127.1", "0x7f000001") is a mistake here.
bool is_plain_address(const std::string& text) {
  in_addr four{};
  return text.find(':') == std::string::npos ? ::inet_pton(AF_INET, text.c_str(), &four) == 1 : is_address(text);
}

}  // namespace

ListeningSocket listen_on(const std::string& name, const std::string& address, std::uint16_t port) {
  if (!is_plain_address(address)) throw Error(ErrorKind::input, cat(name, ": '", address, "' is no IP address"));
  SocketAddress place = look_up(address, port, Deadline::never(), SystemClock()).front();
  const auto check = [&](int result, std::string_view step) {
    if (result < 0) throw Error::from_errno(cat(name, ": ", step), cat(address, " port ", port));
  };
  ListeningSocket made{Fd(::socket(place.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)), place.storage.ss_family};
  const int socket = made.socket.get();
  const int on = 1;
  check(socket, "opening a socket for");
  check(::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "setting up");
  check(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on),
        "setting up");  // Linux: what is accepted has it
  check(::bind(socket, place.get(), place.length), "binding to");
  check(::listen(socket, SOMAXCONN), "listening on");
  check(::getsockname(socket, reinterpret_cast<sockaddr*>(&place.storage), &place.length), "looking at");
  made.port = ntohs(reinterpret_cast<const sockaddr_in&>(place.storage).sin_port);  // of IPv6, too, it stands there
  return made;
}

std::string peer_text(const sockaddr* peer, std::size_t length) {
  if (peer->sa_family == AF_UNIX) return "local";
  std::array<char, NI_MAXHOST> text{};
  return ::getnameinfo(peer, static_cast<socklen_t>(length), text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0
             ? text.data()
             : "";
}

}  // namespace hearth
