#include "base/sys/local_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// A path as the kernel takes it, which has room for 107 bytes: a longer one by way of its open folder.
struct Name {
  explicit Name(const fs::path& path) {
    std::string text = path.string();
    if (text.size() >= sizeof address.sun_path) {
      folder = Fd::open(path.parent_path().string(), O_PATH | O_DIRECTORY);
      text = cat("/proc/self/fd/", folder.get(), "/", path.filename().string());
    }
    if (text.size() >= sizeof address.sun_path)
      throw Error(ErrorKind::input, cat(path.string(), " is too long for a socket's name"));
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, text.data(), text.size());
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

  Fd folder;
  sockaddr_un address{};
};

Fd local_stream(int flags = 0) {
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!socket) throw Error::from_errno("opening", "a socket");
  return socket;
}

}  // namespace

Fd listen_locally(const fs::path& path) {
  const Name name(path);
  Fd socket = local_stream();
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw Error::from_errno("removing", path.string());
  // Before it has a name: at no moment may others reach it.
  if (::fchmod(socket.get(), S_IRUSR | S_IWUSR) != 0 || ::bind(socket.get(), name.get(), sizeof name.address) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    throw Error::from_errno("listening at", path.string());
  return socket;
}

std::optional<Fd> connect_locally(const fs::path& path, bool waits) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  const Name name(path);
  Fd socket = local_stream(waits ? 0 : SOCK_NONBLOCK);
  if (::connect(socket.get(), name.get(), sizeof name.address) == 0) return socket;
  if (errno == ENOENT || errno == ECONNREFUSED) return std::nullopt;
  Error error = Error::from_errno("connecting to", path.string());
  if (error.system_error() == EAGAIN)
    error.hint(
        "as many wait there as it lets wait: whoever listens there takes nobody in, since it is stopped, or hangs");
  throw std::move(error);
}

namespace {

std::optional<ucred> credentials_behind(int socket) {
  ucred other{};
  socklen_t size = sizeof other;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0) return std::nullopt;
  return other;
}

}  // namespace

std::optional<uid_t> user_behind(int socket) {
  const std::optional<ucred> other = credentials_behind(socket);
  return other ? std::optional(other->uid) : std::nullopt;
}

std::optional<pid_t> process_behind(int socket) {
  const std::optional<ucred> other = credentials_behind(socket);
  return other ? std::optional(other->pid) : std::nullopt;
}

}  // namespace hearth
