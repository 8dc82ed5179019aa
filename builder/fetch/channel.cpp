#include "builder/fetch/channel.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace hearth::builder::fetch {

namespace {

/// Clients keep connections open between requests; one that is silent for longer has forgotten us.
constexpr timeval k_patience{.tv_sec = 120, .tv_usec = 0};
constexpr std::size_t k_piece = std::size_t{64} << 10U;

}  // namespace

void Channel::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

Channel::Channel(Fd socket) : socket_(std::move(socket)) {
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &k_patience, sizeof k_patience);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &k_patience, sizeof k_patience);
}

void Channel::start_tls(ssl_ctx_st& context) {
  tls_.reset(SSL_new(&context));
  if (tls_ && SSL_set_fd(tls_.get(), socket_.get()) == 1 && SSL_accept(tls_.get()) == 1) return;
  ERR_clear_error();
  throw Error(ErrorKind::io, "the client did not complete the TLS handshake: it may not trust this build's authority");
}

std::size_t Channel::read(std::span<char> buffer) {
  if (tls_) {
    const int got = SSL_read(tls_.get(), buffer.data(), static_cast<int>(buffer.size()));
    ERR_clear_error();
    return static_cast<std::size_t>(std::max(got, 0));
  }
  while (true) {
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    return static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
}

void Channel::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(std::min(bytes.size(), k_piece)))
                              : ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && !tls_ && errno == EINTR) continue;
    if (sent <= 0) throw Error(ErrorKind::io, "the client is gone");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Channel::send(const Fd& file, std::uint64_t first, std::uint64_t size) {
  auto at = static_cast<off_t>(first);
  std::array<char, k_piece> piece{};
  while (size > 0 && !tls_) {
    const ssize_t sent = ::sendfile(socket_.get(), file.get(), &at, size);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw Error(ErrorKind::io, "the client is gone");
    size -= static_cast<std::uint64_t>(sent);
  }
  while (size > 0) {
    const ssize_t got = ::pread(file.get(), piece.data(), std::min<std::uint64_t>(size, piece.size()), at);
    if (got <= 0) throw Error::from_errno("reading", "an object of the store");
    write({piece.data(), static_cast<std::size_t>(got)});
    at += got;
    size -= static_cast<std::uint64_t>(got);
  }
}

}  // namespace hearth::builder::fetch
