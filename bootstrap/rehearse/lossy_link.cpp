#include "bootstrap/rehearse/lossy_link.hpp"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/error.hpp"

namespace hearth::bootstrap {

namespace {

sockaddr_un socket_name(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw Error(ErrorKind::input, path + " is too long for a socket's name");
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

Fd open_tap(const std::string& name) {
  Fd fd = Fd::open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  if (::ioctl(fd.get(), TUNSETIFF, &request) != 0) throw Error::from_errno("opening the tap", name);
  return fd;
}

/// Sending waits a little for a machine that is slow to read (the kernel keeps ten datagrams for it): only the dice
/// lose.
Fd bound_socket(const fs::path& path) {
  ::unlink(path.c_str());
  Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) throw Error::from_errno("opening", "a socket");
  const timeval patience{0, 100'000};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const sockaddr_un address = socket_name(path.string());
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw Error::from_errno("binding", path.string());
  return fd;
}

}  // namespace

bool LossDice::loses() {
  state_ ^= state_ << 13U;
  state_ ^= state_ >> 17U;
  state_ ^= state_ << 5U;
  return state_ % 10 == 0;
}

LossyLink::LossyLink(const fs::path& home, const std::string& tap)
    : machine_((home / "frames").string()),
      tap_(open_tap(tap)),
      socket_(bound_socket(home / "relay")),
      wake_(::eventfd(0, EFD_CLOEXEC)) {
  if (!wake_) throw Error::from_errno("opening", "an eventfd");
  thread_ = std::thread([this] { carry(); });
}

LossyLink::~LossyLink() {
  const std::uint64_t one = 1;
  if (::write(wake_.get(), &one, sizeof one) == static_cast<ssize_t>(sizeof one)) thread_.join();
}

bool LossyLink::loses(LossDice& dice) {
  if (!lossy_) return false;
  ++frames_seen_;
  const bool lost = dice.loses();
  if (lost) ++frames_lost_;
  return lost;
}

void LossyLink::carry() {
  const sockaddr_un machine = socket_name(machine_);
  LossDice dice(0x5eed);
  std::array<char, 65536> frame{};
  std::array<pollfd, 3> waiting = {{{tap_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
  while (true) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    if ((waiting[2].revents & POLLIN) != 0) return;
    // What can't be handed on is lost, as on a cable.
    if (const ssize_t got = ::read(tap_.get(), frame.data(), frame.size()); got > 0 && !loses(dice)) {
      static_cast<void>(::sendto(socket_.get(), frame.data(), static_cast<std::size_t>(got), 0,
                                 reinterpret_cast<const sockaddr*>(&machine), sizeof machine));
    }
    if (const ssize_t got = ::recv(socket_.get(), frame.data(), frame.size(), MSG_DONTWAIT); got > 0 && !loses(dice)) {
      const ssize_t put = ::write(tap_.get(), frame.data(), static_cast<std::size_t>(got));
      static_cast<void>(put);
    }
  }
}

}  // namespace hearth::bootstrap
