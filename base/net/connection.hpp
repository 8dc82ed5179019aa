// Connection: a stream to a server, plain or TLS, in which every step ends at a deadline.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/net/look_up.hpp"
#include "base/net/tls_client.hpp"
#include "base/net/url.hpp"
#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth {

/// Why a host's address may not be connected to; empty where it may.
using AddressCheck = std::function<std::string(const Url& where, const SocketAddress& address)>;

/// Drops the addresses that may not be connected to. Throws Error(input) where none is left.
void require_address(const Url& where, const AddressCheck& check, std::vector<SocketAddress>& addresses);

class Connection {
 public:
  /// Connects to the first address of the host that `check` lets pass and that answers. All operations throw Error(io);
  /// this one Error(input) where no address may be connected to.
  [[nodiscard]] static Connection open(const Url& where, const Deadline& deadline, const Clock& clock,
                                       const AddressCheck& check = {});
  /// By a socket that has a path (base/sys/local_socket.hpp).
  [[nodiscard]] static Connection open_local(const fs::path& path, const Clock& clock);

  void start_tls(const TlsContext& context, const TlsPeer& peer, const Deadline& deadline);
  void write(std::string_view data, const Deadline& deadline);
  /// The bytes there are, at least one; 0 when the server has closed.
  [[nodiscard]] std::size_t read(std::span<char> buffer, const Deadline& deadline);
  /// From now on read() lets up to `bytes` come together, for a fifth of a second at most, before it returns: a reader
  /// of much is woken seldom (SO_RCVLOWAT, socket(7)). To be no more than are still to come.
  void gather(std::size_t bytes);

 private:
  Connection(Fd socket, std::string name, const Clock& clock)
      : socket_(std::move(socket)), name_(std::move(name)), clock_(&clock) {}
  void wait(short events, std::string_view operation, const Deadline& deadline) const;
  void wait(TlsSession::Wants wants, std::string_view operation, const Deadline& deadline) const;
  [[nodiscard]] bool wait_to_read(const Deadline& deadline) const;
  [[nodiscard]] std::size_t write_some(std::string_view data, const Deadline& deadline);

  Fd socket_;
  std::string name_;
  const Clock* clock_;
  std::optional<TlsSession> tls_;
  std::size_t gathered_ = 1;
};

}  // namespace hearth
