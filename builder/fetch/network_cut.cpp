#include "builder/fetch/network_cut.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "base/error.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr int k_backlog = 256;

}  // namespace

void bring_up_loopback() {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) throw Error::from_errno("bringing up", "loopback");
}

Fd cut_network() {
  if (::unshare(CLONE_NEWNET) != 0) throw Error::from_errno("making", "a network namespace");
  bring_up_loopback();
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(k_proxy_port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), k_backlog) != 0) {
    throw Error::from_errno("listening on", "the build's loopback");
  }
  return listener;
}

Handover Handover::create() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error::from_errno("making", "a socket pair");
  }
  return {Fd(ends[0]), Fd(ends[1])};
}

void give_descriptor(const Fd& giver, const Fd& descriptor) {
  char byte = 'd';
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int number = descriptor.get();
  std::memcpy(CMSG_DATA(header), &number, sizeof number);
  if (::sendmsg(giver.get(), &message, MSG_NOSIGNAL) != 1)
    throw Error::from_errno("handing over", "the proxy's socket");
}

Fd take_descriptor(const Fd& taker) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(taker.get(), &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return {};
  int number = -1;
  std::memcpy(&number, CMSG_DATA(header), sizeof number);
  return Fd(number);
}

}  // namespace hearth::builder::fetch
