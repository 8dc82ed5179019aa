#include "bootstrap/rehearse/door.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <semaphore>
#include <thread>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/client/terminal.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::ptrdiff_t k_most_passages = 64;  // at once; further ones wait
constexpr std::size_t k_longest_request = 128;
constexpr timeval k_patience{5, 0};
constexpr const char* k_door_interface = "br0";  // where link-local addresses are looked for

struct SocketName {
  sockaddr_storage storage{};
  socklen_t length = 0;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

SocketName ipv4_name(const std::string& address, std::uint16_t port) {
  SocketName name;
  auto* ipv4 = reinterpret_cast<sockaddr_in*>(&name.storage);
  ipv4->sin_family = AF_INET;
  ipv4->sin_port = htons(port);
  ::inet_pton(AF_INET, address.c_str(), &ipv4->sin_addr);
  name.length = sizeof *ipv4;
  return name;
}

SocketName link_local_name(const std::string& address, std::uint16_t port) {
  SocketName name;
  auto* ipv6 = reinterpret_cast<sockaddr_in6*>(&name.storage);
  ipv6->sin6_family = AF_INET6;
  ipv6->sin6_port = htons(port);
  ::inet_pton(AF_INET6, address.c_str(), &ipv6->sin6_addr);
  ipv6->sin6_scope_id = ::if_nametoindex(k_door_interface);
  name.length = sizeof *ipv6;
  return name;
}

SocketName local_name(const fs::path& path) {
  SocketName name;
  auto* local = reinterpret_cast<sockaddr_un*>(&name.storage);
  local->sun_family = AF_UNIX;
  if (path.string().size() >= sizeof local->sun_path)
    throw Error(ErrorKind::input, cat(path.string(), " is too long for a socket's name"));
  std::memcpy(local->sun_path, path.c_str(), path.string().size());
  name.length = sizeof *local;
  return name;
}

/// Empty when nobody is there; errno says why.
Fd connected_to(const SocketName& name) {
  Fd fd(::socket(name.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &k_patience, sizeof k_patience);
  if (!fd || ::connect(fd.get(), name.get(), name.length) != 0) return {};
  const timeval never{0, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &never, sizeof never);
  return fd;
}

bool write_bytes(int to, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::write(to, data, size);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

/// One direction, until its sender has no more.
void pass_bytes(int from, int to) {
  std::array<char, 16384> bytes{};
  while (true) {
    const ssize_t got = ::read(from, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !write_bytes(to, bytes.data(), static_cast<std::size_t>(got))) break;
  }
  ::shutdown(to, SHUT_WR);
  ::shutdown(from, SHUT_RD);
}

void pass_both(const Fd& client, const Fd& server) {
  const std::jthread back([&] { pass_bytes(server.get(), client.get()); });
  pass_bytes(client.get(), server.get());
}

/// Up to a line end, byte by byte: what follows is not ours. Nothing when there is none.
std::optional<std::string> line_from(const Fd& fd, std::size_t limit) {
  std::string line;
  char byte = 0;
  while (line.size() < limit) {
    const ssize_t got = ::read(fd.get(), &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    if (byte == '\n') return line;
    line += byte;
  }
  return std::nullopt;
}

std::vector<SocketName> places_of(const DoorHost& host, std::uint16_t port) {
  std::vector<SocketName> places;
  if (!host.address.empty()) places.push_back(ipv4_name(host.address, port));
  if (host.mac.empty()) return places;
  const std::string neighbour = neighbour_of(RealFileSystem().read("/proc/net/arp").value_or(""), host.mac);
  if (!neighbour.empty() && neighbour != host.address) places.push_back(ipv4_name(neighbour, port));
  places.push_back(link_local_name(link_local_of(host.mac), port));
  return places;
}

void refuse(const Fd& client, const std::string& why) {
  const std::string line = cat(why, "\n");
  write_bytes(client.get(), line.data(), line.size());
}

void open_for(const Fd& client, const DoorHosts& hosts) {
  ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &k_patience, sizeof k_patience);
  const std::optional<std::string> request = line_from(client, k_longest_request);
  const timeval never{0, 0};
  ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &never, sizeof never);
  const std::vector<std::string> words = split_words(request.value_or(""));
  const std::optional<std::uint64_t> port = words.size() == 2 ? parse_number(words[1]) : std::nullopt;
  if (!port || *port == 0 || *port > 65535) return refuse(client, "MACHINE PORT is expected");
  const auto host = hosts.find(words[0]);
  if (host == hosts.end()) return refuse(client, cat("there is no machine ", words[0]));
  std::string why = "it has no address yet";
  for (const SocketName& place : places_of(host->second, static_cast<std::uint16_t>(*port))) {
    const Fd server = connected_to(place);
    if (!server) {
      why = errno == EINPROGRESS ? "nothing answers" : std::strerror(errno);
      if (errno == ECONNREFUSED) break;  // it is there, and has nothing at this port
      continue;
    }
    if (write_bytes(client.get(), "\n", 1)) pass_both(client, server);
    return;
  }
  refuse(client, why);
}

/// In a thread of its own.
template <typename Work>
void pass_beside(const Fd& listener, Work work) {
  static std::counting_semaphore<k_most_passages> places(k_most_passages);
  Fd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!client) return;
  places.acquire();
  std::thread([client = std::move(client), work = std::move(work)] {
    work(client);
    places.release();
  }).detach();
}

Fd listening(const SocketName& name, const std::string& what) {
  Fd fd(::socket(name.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) throw Error::from_errno("opening", "a socket");
  const int yes = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(fd.get(), name.get(), name.length) != 0 || ::listen(fd.get(), 64) != 0)
    throw Error::from_errno("listening at", what);
  return fd;
}

}  // namespace

std::string neighbour_of(std::string_view table, std::string_view mac) {
  for (const std::string& line : split_lines(table)) {
    const std::vector<std::string> words = split_words(line);  // address, type, flags, MAC, mask, device
    if (words.size() >= 4 && words[3] == mac && words[2] != "0x0") return words[0];
  }
  return "";
}

std::string link_local_of(std::string_view text) {
  const std::optional<pxe::Mac> mac = pxe::parse_mac(text);
  if (!mac) return "";
  const auto& b = mac->bytes;
  const std::array<std::uint8_t, 16> bytes = {
      0xfe, 0x80, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(b[0] ^ 2U), b[1], b[2], 0xff, 0xfe, b[3], b[4], b[5]};
  std::array<char, INET6_ADDRSTRLEN> shown{};
  return ::inet_ntop(AF_INET6, bytes.data(), shown.data(), shown.size()) == nullptr ? "" : shown.data();
}

Fd listen_on_loopback(std::uint16_t port) {
  try {
    return listening(ipv4_name("127.0.0.1", port), cat("127.0.0.1:", port));
  } catch (Error& error) {
    throw error.hint("give another port, or 0 for any that is free");
  }
}

std::uint16_t port_of(int socket) {
  sockaddr_in name{};
  socklen_t length = sizeof name;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &length) != 0) return 0;
  return ntohs(name.sin_port);
}

int serve_door(const Fd& page, std::uint16_t page_port, const fs::path& socket, const DoorHosts& hosts) {
  ::signal(SIGPIPE, SIG_IGN);  // one who leaves must not end the door for all
  ::unlink(socket.c_str());
  const Fd door = listening(local_name(socket), socket.string());
  std::array<pollfd, 2> waited = {{{door.get(), POLLIN, 0}, {page.get(), POLLIN, 0}}};  // -1 is passed over
  while (::poll(waited.data(), waited.size(), -1) >= 0 || errno == EINTR) {
    if ((waited[0].revents & POLLIN) != 0) pass_beside(door, [&](const Fd& client) { open_for(client, hosts); });
    if ((waited[1].revents & POLLIN) != 0) {
      pass_beside(page, [page_port](const Fd& client) {
        const Fd server = connected_to(ipv4_name("127.0.0.1", page_port));
        if (server) pass_both(client, server);
      });
    }
    for (pollfd& each : waited) each.revents = 0;
  }
  return 1;
}

Fd through_door(const fs::path& socket, const std::string& machine, std::uint16_t port) {
  Fd fd = connected_socket(socket, "the rehearsal has begun only just, or is at its end");
  const std::string request = cat(machine, " ", port, "\n");
  write_bytes(fd.get(), request.data(), request.size());
  const std::optional<std::string> answer = line_from(fd, 1024);
  if (answer && answer->empty()) return fd;
  throw Error(ErrorKind::external,
              cat("port ", port, " of ", machine, ": ", answer.value_or("the rehearsal has ended")))
      .hint(cat("hearth node list says how ", machine, " is, --console ", machine, " what it does"));
}

void carry_standard_streams(const Fd& socket) {
  std::thread([number = socket.get()] { pass_bytes(STDIN_FILENO, number); }).detach();
  std::array<char, 16384> bytes{};
  while (true) {
    const ssize_t got = ::read(socket.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !write_bytes(STDOUT_FILENO, bytes.data(), static_cast<std::size_t>(got))) return;
  }
}

}  // namespace hearth::bootstrap
