// HTTP boot: files by sendfile(2) to thousands of slow machines, in the reactor's one thread. Limits on everything that
// a client controls: heads, connections, idleness, rate.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pxe/content.hpp"
#include "pxe/http/bucket.hpp"
#include "pxe/net/reactor.hpp"
#include "pxe/request_log.hpp"

namespace hearth::pxe::http {

struct Limits {
  std::size_t head_bytes = 8192;
  std::size_t connections = 8192;
  std::size_t connections_per_client = 128;
  Duration idle = std::chrono::seconds(30);     ///< without a byte either way
  std::uint64_t bytes_a_second = 0;             ///< in all; 0 = without limit
  std::uint64_t bytes_a_second_per_client = 0;  ///< of one connection
};

class Connection;

class Server final : public Watcher {
 public:
  Server(Reactor& reactor, const Clock& clock, ContentSource& source, RequestLog& log, Limits limits = {});
  ~Server() override;

  /// Port 0 takes a free one. Returns where it listens. Throws Error.
  Endpoint listen(const Endpoint& local);
  void ready(std::uint32_t events) override;
  [[nodiscard]] std::size_t connections() const { return connections_.size(); }

 private:
  friend class Connection;
  void accept_from(const Fd& listener);
  void ended(std::uint64_t serial);
  void wake_at(MonotonicTime when, std::uint64_t serial, void (Connection::*action)());

  Reactor& reactor_;
  const Clock& clock_;
  ContentSource& source_;
  RequestLog& log_;
  Limits limits_;
  Bucket bucket_;
  std::vector<Fd> listeners_;
  std::uint64_t serials_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::map<Ipv4, std::size_t> per_client_;
  std::vector<std::unique_ptr<Connection>> finished_;  ///< destroyed when none of their code is running
};

}  // namespace hearth::pxe::http
