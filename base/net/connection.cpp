#include "base/net/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr const char* k_timed_out = "timed out";
constexpr Duration k_gathering_time = std::chrono::milliseconds(200);
constexpr std::size_t k_tls_record = std::size_t{17} << 10U;  // the longest that a session may have begun to read

Error net_error(std::string_view operation, const std::string& name, std::string_view reason) {
  return {ErrorKind::io, cat(operation, " ", name, ": ", reason)};
}

/// False when the deadline passes first.
bool wait_for(int socket, short events, const Deadline& deadline, const Clock& clock) {
  while (true) {
    pollfd entry{socket, events, 0};
    const int ready = ::poll(&entry, 1, deadline.poll_timeout(clock.now()));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) throw Error::from_errno("waiting for", "a socket");
  }
}

/// 0 or an errno; ETIMEDOUT at the deadline, too.
int connect_to(const Fd& socket, const SocketAddress& address, const Deadline& deadline, const Clock& clock) {
  if (::connect(socket.get(), address.get(), address.length) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  if (!wait_for(socket.get(), POLLOUT, deadline, clock)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/// One dead address must not use up the time of the others.
Deadline share_of(const Deadline& whole, std::size_t addresses, const Clock& clock) {
  if (whole.is_never() || addresses <= 1) return whole;
  const auto left = std::chrono::milliseconds(whole.poll_timeout(clock.now()));
  return Deadline::after(left / static_cast<long>(addresses), clock);
}

}  // namespace

void require_address(const Url& where, const AddressCheck& check, std::vector<SocketAddress>& addresses) {
  std::string why;
  std::erase_if(addresses, [&](const SocketAddress& address) {
    const std::string fault = check(where, address);
    if (!fault.empty()) why = fault;
    return !fault.empty();
  });
  if (addresses.empty()) throw Error(ErrorKind::input, cat(where.authority(), " is not connected to: ", why));
}

Connection Connection::open(const Url& where, const Deadline& deadline, const Clock& clock, const AddressCheck& check) {
  std::vector<SocketAddress> addresses = look_up(where.host, where.port, deadline, clock);
  if (check) require_address(where, check, addresses);
  int error = EADDRNOTAVAIL;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    Fd socket(::socket(addresses[i].storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    error = socket ? connect_to(socket, addresses[i], share_of(deadline, addresses.size() - i, clock), clock) : errno;
    if (error == 0) return {std::move(socket), where.authority(), clock};
  }
  if (error == ETIMEDOUT) throw net_error("connecting to", where.authority(), k_timed_out);
  throw Error::from_errno("connecting to", where.authority(), error);
}

Connection Connection::open_local(const fs::path& path, const Clock& clock) {
  std::optional<Fd> socket;
  try {
    socket = connect_locally(path, false);
  } catch (Error& error) {
    if (error.system_error() != EAGAIN) throw;
    throw error.hint(
        "So many wait there already that nobody else is let in: try again. If it lasts, what listens there hangs.");
  }
  if (!socket) throw Error(ErrorKind::io, cat("nobody listens at ", path.string()));
  return {std::move(*socket), path.string(), clock};
}

void Connection::wait(short events, std::string_view operation, const Deadline& deadline) const {
  if (!wait_for(socket_.get(), events, deadline, *clock_)) throw net_error(operation, name_, k_timed_out);
}

void Connection::wait(TlsSession::Wants wants, std::string_view operation, const Deadline& deadline) const {
  wait(wants == TlsSession::Wants::to_read ? POLLIN : POLLOUT, operation, deadline);
}

void Connection::start_tls(const TlsContext& context, const TlsPeer& peer, const Deadline& deadline) {
  tls_.emplace(context, peer, socket_.get());
  while (true) {
    const TlsSession::Step step = tls_->shake_hands();
    if (step.wants == TlsSession::Wants::nothing) break;
    wait(step.wants, "setting up TLS with", deadline);
  }
  if (peer.pin.empty() || tls_->peer_key() == peer.pin) return;
  throw Error(ErrorKind::input, cat(name_, " has another key than the pinned one (SHA-256 ", peer.pin,
                                    "): another server at its address, or one that was set up anew"));
}

std::size_t Connection::write_some(std::string_view data, const Deadline& deadline) {
  constexpr const char* operation = "sending to";
  while (true) {
    TlsSession::Step step;
    if (tls_) {
      step = tls_->write(data);
    } else {
      const ssize_t put = ::send(socket_.get(), data.data(), data.size(), MSG_NOSIGNAL);
      if (put < 0 && errno != EAGAIN && errno != EINTR) throw Error::from_errno(operation, name_);
      step = put < 0 ? TlsSession::Step{TlsSession::Wants::to_write}
                     : TlsSession::Step{TlsSession::Wants::nothing, static_cast<std::size_t>(put)};
    }
    if (step.wants == TlsSession::Wants::nothing) return step.size;
    wait(step.wants, operation, deadline);
  }
}

void Connection::write(std::string_view data, const Deadline& deadline) {
  while (!data.empty()) data.remove_prefix(write_some(data, deadline));
}

std::size_t Connection::read(std::span<char> buffer, const Deadline& deadline) {
  constexpr const char* operation = "reading from";
  while (true) {
    TlsSession::Step step;
    if (tls_) {
      step = tls_->read(buffer);
    } else {
      const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
      if (got < 0 && errno != EAGAIN && errno != EINTR) throw Error::from_errno(operation, name_);
      step = got < 0 ? TlsSession::Step{TlsSession::Wants::to_read}
                     : TlsSession::Step{TlsSession::Wants::nothing, static_cast<std::size_t>(got)};
    }
    if (step.wants == TlsSession::Wants::nothing) return step.size;
    if (step.wants == TlsSession::Wants::to_write) {
      wait(POLLOUT, operation, deadline);
    } else if (!wait_to_read(deadline)) {
      throw net_error(operation, name_, k_timed_out);
    }
  }
}

/// Also true when what is gathered may not become more for a while.
bool Connection::wait_to_read(const Deadline& deadline) const {
  if (gathered_ <= 1) return wait_for(socket_.get(), POLLIN, deadline, *clock_);
  const Deadline soon = Deadline::after(k_gathering_time, *clock_);
  return wait_for(socket_.get(), POLLIN, soon, *clock_) || !deadline.passed(clock_->now());
}

void Connection::gather(std::size_t bytes) {
  if (tls_) bytes = bytes > k_tls_record ? bytes - k_tls_record : 1;
  if (bytes == gathered_) return;
  const int mark = static_cast<int>(bytes);
  if (::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark) == 0) gathered_ = bytes;
}

}  // namespace hearth
