// A client's connection to the proxy: plain, or TLS once a CONNECT has been taken over. Blocking, with time limits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/sys/fd.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace hearth::builder::fetch {

class Channel {
 public:
  explicit Channel(Fd socket);

  /// Takes the server's part of a TLS handshake. Throws Error(io).
  void start_tls(ssl_ctx_st& context);
  /// At least one byte; 0 = the client has closed, or said nothing for too long.
  [[nodiscard]] std::size_t read(std::span<char> buffer);
  /// Throws Error(io) when the client is gone.
  void write(std::string_view bytes);
  /// Sends `size` bytes of a file from `first` on.
  void send(const Fd& file, std::uint64_t first, std::uint64_t size);
  [[nodiscard]] const Fd& socket() const { return socket_; }

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  Fd socket_;
  std::unique_ptr<ssl_st, Free> tls_;
};

}  // namespace hearth::builder::fetch
