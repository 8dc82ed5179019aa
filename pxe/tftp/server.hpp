// The TFTP server (RFC 1350, 2347, 2348, 2349, 7440): read-only; thousands of transfers in the reactor's one thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pxe/net/reactor.hpp"
#include "pxe/serve/content.hpp"
#include "pxe/serve/request_log.hpp"
#include "pxe/tftp/burst_buffer.hpp"
#include "pxe/tftp/packet.hpp"
#include "pxe/tftp/quota.hpp"
#include "pxe/tftp/terms.hpp"

namespace hearth::pxe::tftp {

class Transfer;

class Server final : public Watcher {
 public:
  Server(Reactor& reactor, ContentSource& source, RequestLog& log, Quota& quota, Limits limits = {});
  ~Server() override;

  /// Starts to listen; port 0 takes a free one. `device`, if not empty, is the only interface to listen on. Returns
  /// where it listens. `shared`: other sockets of this program may have the same port (SO_REUSEPORT).
  Endpoint listen(const Endpoint& local, const std::string& device = {}, bool shared = false);
  /// Requests have come.
  void ready(std::uint32_t events) override;
  [[nodiscard]] std::size_t running() const { return transfers_.size(); }

 private:
  struct Peer {
    Endpoint client;
    Ipv4 local;
  };
  void handle(const Fd& socket, const Peer& peer, std::string_view bytes);
  void serve(const Fd& socket, const Peer& peer, const Request& request);
  void start(const Peer& peer, const Request& request, Content content, Quota::Place place);
  void refuse(const Fd& socket, const Peer& peer, const std::string& name, ErrorCode code, std::string_view text);
  void wake_at(MonotonicTime when, Endpoint client, std::uint64_t serial);
  void ended(const Endpoint& client);
  void counted();

  struct Running {
    std::uint64_t serial = 0;
    std::unique_ptr<Transfer> transfer;
    std::optional<Quota::Place> place;
  };

  Reactor& reactor_;
  ContentSource& source_;
  RequestLog& log_;
  Quota& quota_;
  Limits limits_;
  std::vector<Fd> sockets_;
  BurstBuffer buffer_;
  std::uint64_t serials_ = 0;
  std::map<Endpoint, Running> transfers_;
  std::vector<std::unique_ptr<Transfer>> finished_;  ///< destroyed when none of their code is running
};

}  // namespace hearth::pxe::tftp
