// The DHCP server's edge: sockets on each interface, the engine, the journal. Runs in its own reactor.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "pxe/dhcp/engine.hpp"
#include "pxe/dhcp/guard.hpp"
#include "pxe/dhcp/journal.hpp"
#include "pxe/dhcp/lease_keeper.hpp"
#include "pxe/dhcp/probe_plan.hpp"
#include "pxe/net/packet_socket.hpp"
#include "pxe/net/reactor.hpp"
#include "pxe/net/unanswered.hpp"
#include "pxe/serve/request_log.hpp"

namespace hearth::pxe::dhcp {

class Server final {
 public:
  struct Wiring {
    Reactor& reactor;
    const Clock& clock;
    Logger& logger;
    RequestLog& log;
    /// Called with each lease that becomes bound, from this server's thread.
    std::function<void(const Lease&)> bound;
  };
  /// Opens all sockets, but answers nobody yet. Throws Error.
  Server(Wiring wiring, Engine engine);
  ~Server();

  /// From here on clients are answered. `journal` is null in proxy mode, which grants no leases; `home` where that is
  /// all there is of them.
  void start_answering(std::unique_ptr<JournalWriter> journal, LeaseKeeper* home = nullptr);

  /// Asks for other servers on each link; what answers is logged as an error when it comes.
  void look_for_strangers();
  [[nodiscard]] std::size_t strangers() const { return guard_.strangers(); }
  /// Repeats that every ten seconds, and keeps the next free addresses probed.
  void start_watching();
  /// A new inventory, other networks, other friends. To be called from the reactor.
  void use(Site site);

 private:
  class Link;
  void handle(Link& link, std::string_view bytes, const Arrival& arrival);
  void act(Link& link, const Message& message, Decision decision, MonotonicTime began);
  void keep(Link& link, Decision decision, RequestRecord record);
  void make_durable(const Lease& lease, std::function<void()> then, JournalWriter::Failed failed);
  void tell(const RequestRecord& record) const;
  void probe_addresses();
  void arp_heard(const Link& link, std::string_view packet);
  void question_heard(const Link& link, const ArpQuestion& question);
  void attempt_heard(const Link& link, std::string_view packet, const Mac& from);
  [[nodiscard]] bool is_own_question(const Link& link, const Mac& mac, Ipv4 client) const;
  [[nodiscard]] bool is_ours(const Link& link, Ipv4 address) const;
  void tell_unanswered(const Mac& mac, Ipv4 client, Ipv4 target, const Unanswered& unanswered) const;
  void answer_heard(std::string_view packet, const Mac& from);
  void solicited(const Link& link, std::string_view packet, const Mac& from);
  void remember_booting(const Message& message);
  [[nodiscard]] Seconds now() const;

  Wiring wiring_;
  Engine engine_;
  Guard guard_;
  std::vector<std::unique_ptr<Link>> links_;
  std::set<Ipv4> probed_;
  ProbePlan probe_plan_;
  UnansweredTries tries_;
  std::multimap<Ipv4, bool> doubted_;  ///< asked for in vain, it seems; true once something has answered us
  std::map<Mac, Seconds> booting_;     ///< network firmware that asked lately
  bool answering_ = false;
  LeaseKeeper* home_ = nullptr;
  std::unique_ptr<JournalWriter> journal_;  ///< last: its thread uses the links
};

}  // namespace hearth::pxe::dhcp
