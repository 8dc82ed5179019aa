// The links of the site, and what goes over them: datagrams, which may be lost, doubled or overtake each other, and
// exchanges by HTTP, which TCP repeats until they arrive, a deadline is over or an end has gone.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/net/served.hpp"
#include "simulation/random.hpp"
#include "simulation/scheduler.hpp"
#include "simulation/trace.hpp"

namespace hearth::simulation {

class Network {
 public:
  Network(Scheduler& scheduler, Trace& trace, Random random) : scheduler_(scheduler), trace_(trace), random_(random) {}

  // Faults.
  /// In per cent of all packets, and of what comes twice.
  void lose(std::uint64_t percent) { loss_ = percent; }
  void slow(Duration more) { more_ = more; }
  /// In per cent of all answers: what was asked for is done, and its connection ends.
  void lose_answers(std::uint64_t percent) { lost_answers_ = percent; }
  void cut(const std::string& link, bool is_cut);

  /// Delivers a datagram, or doesn't, or does so twice.
  void datagram(const std::string& from, const std::string& to, std::function<void()> arrives);

  using Reply = std::function<void(ServedResponse)>;
  using Handler = std::function<void(const ServedRequest& request, Reply reply)>;
  /// Until the owner ends, or somebody else listens there.
  void listen(const std::string& host, std::uint16_t port, OwnerId owner, Handler handler);
  /// Connections to it are refused from now on.
  void close(const std::string& host, std::uint16_t port);
  /// An address, and the link behind which it is; as long as the owner lives somebody is there to refuse connections.
  void put_host(const std::string& address, const std::string& link, OwnerId owner) {
    links_[address] = link;
    hosts_[address] = owner;
  }

  /// Behind which link that is: the machine's name where it is one's.
  [[nodiscard]] const std::string& link_of(const std::string& address) const;

  /// Within a task: as HttpClient::send() of that host.
  [[nodiscard]] HttpResponse exchange(const std::string& from, const HttpRequest& request);

 private:
  struct Port {
    OwnerId owner = 0;
    Handler handler;
  };
  struct Exchange;
  [[nodiscard]] bool is_cut(const std::string& one, const std::string& other) const;
  [[nodiscard]] Duration delay();
  void carry(const std::string& from, const std::string& to, MonotonicTime until, std::function<void()> arrives);
  void arrive(const std::shared_ptr<Exchange>& exchange);

  Scheduler& scheduler_;
  Trace& trace_;
  Random random_;
  std::uint64_t loss_ = 0;
  std::uint64_t lost_answers_ = 0;
  Duration more_{};
  std::set<std::string> cut_;                 ///< links
  std::map<std::string, std::string> links_;  ///< by address
  std::map<std::string, OwnerId> hosts_;
  std::map<std::pair<std::string, std::uint16_t>, Port> ports_;
};

/// The client of one host.
class HostClient final : public HttpClient {
 public:
  HostClient(Network& network, std::string host) : network_(network), host_(std::move(host)) {}
  [[nodiscard]] HttpResponse send(const HttpRequest& request) override { return network_.exchange(host_, request); }

 private:
  Network& network_;
  std::string host_;
};

}  // namespace hearth::simulation
