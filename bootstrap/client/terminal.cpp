#include "bootstrap/client/terminal.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr char k_leave = 0x1d;  // Ctrl-]

/// Every key goes through as it is, until this ends.
class RawTerminal {
 public:
  RawTerminal() {
    termios now{};
    if (::tcgetattr(STDIN_FILENO, &now) != 0) return;
    before_ = now;
    ::cfmakeraw(&now);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &now);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() {
    if (before_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
  }

 private:
  std::optional<termios> before_;
};

/// False when one side has ended.
bool carry(int from, int to, bool keyboard) {
  std::array<char, 4096> bytes{};
  const ssize_t got = ::read(from, bytes.data(), bytes.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  const std::string_view part(bytes.data(), static_cast<std::size_t>(got));
  if (keyboard && part.find(k_leave) != std::string_view::npos) return false;
  return ::write(to, part.data(), part.size()) >= 0;
}

}  // namespace

Fd connected_socket(const fs::path& path, const std::string& advice) {
  std::optional<Fd> socket = connect_locally(path);
  if (!socket) throw Error(ErrorKind::io, cat("nobody listens at ", path.string())).hint(advice);
  return std::move(*socket);
}

void join_terminal(const Fd& machine) {
  const RawTerminal raw;
  std::array<pollfd, 2> waiting = {{{STDIN_FILENO, POLLIN, 0}, {machine.get(), POLLIN, 0}}};
  while (true) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    if ((waiting[0].revents & (POLLIN | POLLHUP)) != 0 && !carry(STDIN_FILENO, machine.get(), true)) return;
    if ((waiting[1].revents & (POLLIN | POLLHUP)) != 0 && !carry(machine.get(), STDOUT_FILENO, false)) return;
  }
}

}  // namespace hearth::bootstrap
