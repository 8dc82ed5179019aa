// HTTP boot: files by sendfile(2) to thousands of slow machines, in the reactor's one thread. Limits on everything that
// a client controls: heads, connections, idleness, rate.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pxe/http/bucket.hpp"
#include "pxe/net/reactor.hpp"
#include "pxe/serve/content.hpp"
#include "pxe/serve/request_log.hpp"

namespace hearth::pxe::http {

struct Limits {
  std::size_t head_bytes = 8192;
  std::size_t connections = 8192;
  std::size_t connections_per_client = 128;
  Duration idle = std::chrono::seconds(30);     ///< without a byte either way
  std::uint64_t bytes_a_second = 0;             ///< in all; 0 = without limit
  std::uint64_t bytes_a_second_per_client = 0;  ///< to one address
};

class Connection;
class TlsKeys;

class Server final : public Watcher {
 public:
  Server(Reactor& reactor, const Clock& clock, ContentSource& source, RequestLog& log, Limits limits = {});
  ~Server() override;

  /// Port 0 takes a free one. Returns where it listens. Throws Error.
  Endpoint listen(const Endpoint& local);
  /// The same inside TLS.
  Endpoint listen(const Endpoint& local, std::shared_ptr<const TlsKeys> keys);
  /// Another certificate for the connections to come. Called on the reactor's thread.
  void renew(const std::shared_ptr<const TlsKeys>& keys);
  void ready(std::uint32_t events) override;
  [[nodiscard]] std::size_t connections() const { return connections_.size(); }

 private:
  friend class Connection;
  struct Listener {
    Fd socket;
    std::shared_ptr<const TlsKeys> keys;  ///< null: plain
  };
  struct Client {
    std::size_t connections = 0;
    Bucket rate;
  };
  void accept_from(const Listener& listener);
  void rest(const Listener& listener);
  void take_in(const Listener& listener, Fd socket, const Endpoint& from);
  void forget_clients();
  void ended(std::uint64_t serial);
  void wake_at(MonotonicTime when, std::uint64_t serial, void (Connection::*action)());

  Reactor& reactor_;
  const Clock& clock_;
  ContentSource& source_;
  RequestLog& log_;
  Limits limits_;
  Bucket bucket_;
  std::vector<Listener> listeners_;
  std::uint64_t serials_ = 0;
  std::map<Ipv4, Client> clients_;  ///< before the connections, which use their rates
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::vector<std::unique_ptr<Connection>> finished_;  ///< destroyed when none of their code is running
};

}  // namespace hearth::pxe::http
