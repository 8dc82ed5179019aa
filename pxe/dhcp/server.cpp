#include "pxe/dhcp/server.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "pxe/dhcp/client_of_message.hpp"
#include "pxe/net/frame.hpp"
#include "pxe/net/router_advert.hpp"
#include "pxe/net/udp.hpp"

namespace hearth::pxe::dhcp {

namespace {

constexpr std::uint16_t k_server_port = 67, k_client_port = 68, k_boot_port = 4011;
constexpr int k_receive_buffer = 8 << 20;
constexpr int k_messages_a_turn = 256;
constexpr Seconds k_booting_s = 60;
constexpr std::size_t k_booting_limit = 100000;
constexpr Duration k_answers_within = std::chrono::milliseconds(500);
constexpr std::size_t k_addresses_ahead = 64;
constexpr std::size_t k_addresses_soon = 2;
constexpr std::size_t k_journal_limit = std::size_t{32} << 20U;
constexpr Mac k_everyone{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

/// A callback as a watcher.
class Callback final : public Watcher {
 public:
  explicit Callback(std::function<void()> action) : action_(std::move(action)) {}
  void ready(std::uint32_t /*events*/) override { action_(); }

 private:
  std::function<void()> action_;
};

/// A MAC that belongs to nobody: locally administered.
Mac random_mac() { return parse_mac(cat("0a", random_hex(5))).value(); }

/// Whether something on this machine waits there; kept for some seconds, since many machines may ask at once.
class OwnListeners {
 public:
  explicit OwnListeners(const Clock& clock) : clock_(clock) {}
  bool operator()(Attempt::Kind kind, const Endpoint& at) {
    if (!read_ || clock_.now() - *read_ > k_keep) {
      const RealFileSystem files;
      const auto table = [&](const char* name) { return files.read(cat("/proc/net/", name)).value_or(""); };
      tcp_ = listeners_in(table("tcp") + table("tcp6"));
      udp_ = listeners_in(table("udp") + table("udp6"));
      read_ = clock_.now();
    }
    const std::set<Endpoint>& list = kind == Attempt::Kind::tcp ? tcp_ : udp_;
    return list.count(at) > 0 || list.count({{}, at.port}) > 0;
  }

 private:
  static constexpr Duration k_keep = std::chrono::seconds(5);
  const Clock& clock_;
  std::set<Endpoint> tcp_;
  std::set<Endpoint> udp_;
  std::optional<MonotonicTime> read_;
};

/// What the network's machines are told that the address is: ", the name server that 192.0.2.0/24 is given".
std::string role_of(const Site& site, Ipv4 client, Ipv4 target) {
  const Network* network = site.network_of(client);
  const auto has = [&](const std::vector<Ipv4>& list) {
    return std::find(list.begin(), list.end(), target) != list.end();
  };
  if (network == nullptr) return "";
  const char* role = has(network->dns)       ? "name server"
                     : has(network->routers) ? "router"
                     : has(network->ntp)     ? "time server"
                                             : nullptr;
  return role == nullptr ? "" : cat(", the ", role, " that DHCP gives to ", to_text(network->subnet));
}

std::set<Ipv4> own_addresses(const Site& site) {
  std::set<Ipv4> own;
  for (const Network& network : site.networks) own.insert(network.server);
  return own;
}

}  // namespace

/// The sockets of one interface.
class Server::Link {
 public:
  Link(Server& server, const Interface& interface)
      : interface_(interface),
        main_(open_udp({{}, k_server_port}, {interface.name, true, k_receive_buffer})),
        boot_(open_udp({{}, k_boot_port}, {interface.name, true})),
        sender_(interface, PacketSocket::Kind::send_only),
        answers_(interface, PacketSocket::Kind::dhcp_answers),
        arp_(interface, PacketSocket::Kind::arp),
        solicitations_(interface, PacketSocket::Kind::router_solicitations),
        attempts_(interface, PacketSocket::Kind::attempts),
        reactor_(server.wiring_.reactor) {
    watch(main_.get(), [this, &server] { read(server, main_, false); });
    watch(boot_.get(), [this, &server] { read(server, boot_, true); });
    watch(answers_.fd(), [this, &server] {
      read_packets(answers_, [&](std::string_view packet, const Mac& from) { server.answer_heard(packet, from); });
    });
    watch(solicitations_.fd(), [this, &server] {
      read_packets(solicitations_,
                   [&](std::string_view packet, const Mac& from) { server.solicited(*this, packet, from); });
    });
    watch(arp_.fd(), [this, &server] {
      read_packets(arp_, [&](std::string_view packet, const Mac&) { server.arp_heard(*this, packet); });
    });
    watch(attempts_.fd(), [this, &server] {
      read_packets(attempts_,
                   [&](std::string_view packet, const Mac& from) { server.attempt_heard(*this, packet, from); });
    });
  }
  ~Link() {
    for (const auto& [fd, watcher] : watchers_) reactor_.forget(fd, *watcher);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// May be called from the journal's thread, too.
  void send(const Answer& answer, bool from_boot_port) const {
    const std::string bytes = write_message(answer.message, answer.limit);
    const Ipv4 own = answer.message.address(option::server).value_or(interface_.address);
    switch (answer.way) {
      case Answer::Way::endpoint: send_to(from_boot_port ? boot_ : main_, answer.to, bytes); return;
      case Answer::Way::broadcast:
        sender_.send(k_everyone, udp_packet({own, k_server_port}, {k_broadcast, k_client_port}, bytes));
        return;
      case Answer::Way::hardware:
        sender_.send(answer.message.chaddr, udp_packet({own, k_server_port}, answer.to, bytes));
        return;
    }
  }
  void send_probe(const Message& probe) const {
    sender_.send(k_everyone, udp_packet({{}, k_client_port}, {k_broadcast, k_server_port}, write_message(probe, 548)));
  }
  void send_arp(Ipv4 target) const { arp_.send(k_everyone, arp_probe(interface_.mac, target)); }
  void send_advertisement(const RouterAnswer& answer) const { solicitations_.send(answer.to, answer.packet); }
  [[nodiscard]] const Interface& interface() const { return interface_; }

 private:
  void watch(int fd, std::function<void()> action) {
    watchers_.emplace_back(fd, std::make_unique<Callback>(std::move(action)));
    reactor_.watch(fd, EPOLLIN, *watchers_.back().second);
  }

  void read(Server& server, const Fd& socket, bool boot_port) {
    std::array<char, 2048> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
    for (int messages = 0; messages < k_messages_a_turn; ++messages) {
      const std::optional<Datagram> datagram = receive(socket, buffer);
      if (!datagram) return;
      server.handle(*this, {buffer.data(), datagram->size}, {datagram->from, interface_.address, boot_port});
    }
  }

  template <class Take>
  static void read_packets(const PacketSocket& socket, Take take) {
    std::array<char, 2048> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
    for (int packets = 0; packets < k_messages_a_turn; ++packets) {
      const PacketSocket::Heard heard = socket.receive(buffer);
      if (heard.size == 0) return;
      take({buffer.data(), heard.size}, heard.from);
    }
  }

  Interface interface_;
  Fd main_;
  Fd boot_;
  PacketSocket sender_;
  PacketSocket answers_;
  PacketSocket arp_;
  PacketSocket solicitations_;
  PacketSocket attempts_;
  Reactor& reactor_;
  std::vector<std::pair<int, std::unique_ptr<Callback>>> watchers_;
};

Server::Server(Wiring wiring, Engine engine)
    : wiring_(std::move(wiring)),
      engine_(std::move(engine)),
      guard_(own_addresses(engine_.site()),
             {engine_.site().allowed_servers.begin(), engine_.site().allowed_servers.end()}),
      tries_(OwnListeners(wiring_.clock)) {
  for (const std::string& name : engine_.site().interfaces)
    links_.push_back(std::make_unique<Link>(*this, find_interface(name, own_addresses(engine_.site()))));
}

Server::~Server() = default;

void Server::start_answering(std::unique_ptr<JournalWriter> journal, LeaseKeeper* home) {
  journal_ = std::move(journal);
  home_ = home;
  answering_ = true;
}

Seconds Server::now() const { return unix_seconds(wiring_.clock.wall()); }

void Server::handle(Link& link, std::string_view bytes, const Arrival& arrival) {
  if (!answering_) return;
  const MonotonicTime began = wiring_.clock.now();
  const Result<Message, std::string> message = parse_message(bytes);
  if (!message) {
    wiring_.log.record({.protocol = "dhcp",
                        .client = arrival.from.address,
                        .what = "a packet",
                        .outcome = cat("no DHCP message: ", message.error()),
                        .good = false});
    return;
  }
  remember_booting(*message);
  act(link, *message, engine_.handle(*message, arrival, now()), began);
}

void Server::act(Link& link, const Message& message, Decision decision, MonotonicTime began) {
  RequestRecord record;
  if (!decision.event.empty()) {
    record = {.protocol = "dhcp",
              .client = decision.answer ? decision.answer->message.yiaddr : Ipv4{},
              .mac = to_text(message.chaddr),
              .what = std::string(type_name(message.type())),
              .outcome = std::move(decision.event),
              .good = decision.good,
              .took = wiring_.clock.now() - began};
  }
  const bool from_boot_port = decision.answer && decision.answer->to.port != k_client_port &&
                              decision.answer->to.port != k_server_port &&
                              decision.answer->way == Answer::Way::endpoint;
  if (decision.probe && !message.giaddr) {
    probed_.insert(*decision.probe);
    link.send_arp(*decision.probe);
  }
  if (decision.keep && journal_) return keep(link, std::move(decision), std::move(record));
  if (decision.answer) link.send(*decision.answer, from_boot_port);
  tell(record);
}

/// The answer leaves, and is told of, when its lease is durable; where it can't be, nobody has been promised anything.
void Server::keep(Link& link, Decision decision, RequestRecord record) {
  if (decision.keep->state == Lease::State::bound && wiring_.bound) wiring_.bound(*decision.keep);
  const auto told = std::make_shared<const RequestRecord>(std::move(record));
  make_durable(
      *decision.keep,
      [this, &link, told, answer = std::move(decision.answer)] {
        if (answer) link.send(*answer, false);
        tell(*told);
      },
      [this, told](const std::string& reason) {
        RequestRecord unanswered = *told;
        unanswered.good = false;
        unanswered.outcome = cat("NO ANSWER, for its lease can't be kept: ", reason, " (", told->outcome, ")");
        tell(unanswered);
      });
  if (journal_->grown() > k_journal_limit) journal_->rewrite(engine_.leases().all());
}

/// In the file first: as a copy it knows no less than the home.
void Server::make_durable(const Lease& lease, std::function<void()> then, JournalWriter::Failed failed) {
  if (home_ == nullptr) return journal_->append(journal_line(lease), std::move(then), std::move(failed));
  journal_->append(
      journal_line(lease), [this, lease, then = std::move(then), failed] { home_->keep(lease, then, failed); }, failed);
}

void Server::tell(const RequestRecord& record) const {
  if (!record.protocol.empty()) wiring_.log.record(record);
}

void Server::use(Site site) {
  guard_.use(own_addresses(site), {site.allowed_servers.begin(), site.allowed_servers.end()});
  engine_.use(std::move(site));
}

void Server::remember_booting(const Message& message) {
  const Client::Kind kind = client_of(message).kind;
  if (kind == Client::Kind::other) return;
  if (booting_.size() >= k_booting_limit) booting_.clear();
  booting_[message.chaddr] = now();
}

/// Only network firmware gets this answer: an operating system may have a router to wait for.
void Server::solicited(const Link& link, std::string_view packet, const Mac& from) {
  const auto asked = booting_.find(from);
  if (!answering_ || asked == booting_.end() || asked->second + k_booting_s < now()) return;
  const std::optional<RouterAnswer> answer = empty_advertisement(packet, from, link.interface().mac);
  if (answer) link.send_advertisement(*answer);
}

void Server::look_for_strangers() {
  for (const auto& link : links_) link->send_probe(Guard::probe(random_mac(), static_cast<std::uint32_t>(now())));
}

void Server::answer_heard(std::string_view packet, const Mac& from) {
  for (const auto& link : links_) {
    if (link->interface().mac == from) return;  // our own answer
  }
  const std::optional<std::string> report = guard_.heard(packet, from, now());
  if (report) wiring_.logger.error(*report);
}

/// Of the site's machines only: what others do on its network is not ours to keep. And of what they ask for themselves:
/// a machine that passes on what others send has its card on their packets, and is not to blame.
bool Server::is_own_question(const Link& link, const Mac& mac, Ipv4 client) const {
  const Network* network = engine_.site().network_of(client);
  return answering_ && engine_.knows(mac) && network != nullptr && network->subnet.contains(link.interface().address) &&
         engine_.leases().is_free_for(client, mac, now());
}

bool Server::is_ours(const Link& link, Ipv4 address) const {
  return address == link.interface().address || own_addresses(engine_.site()).count(address) > 0;
}

void Server::tell_unanswered(const Mac& mac, Ipv4 client, Ipv4 target, const Unanswered& unanswered) const {
  wiring_.log.record({.protocol = unanswered.protocol,
                      .client = client,
                      .mac = to_text(mac),
                      .what = unanswered.what,
                      .outcome = cat(unanswered.outcome, role_of(engine_.site(), client, target)),
                      .good = false,
                      .overheard = true});
}

void Server::attempt_heard(const Link& link, std::string_view packet, const Mac& from) {
  const std::optional<Attempt> attempt = view_attempt(packet);
  if (!attempt || !is_own_question(link, from, attempt->from.address)) return;
  const Ipv4 to = attempt->to.address;
  const std::optional<Unanswered> told = tries_.tried(from, *attempt, is_ours(link, to), wiring_.clock.now());
  if (told) tell_unanswered(from, attempt->from.address, to, *told);
}

/// Answers to others are not heard, and a bond's monitor or a loader asks again although it has them. So the address is
/// asked for under our own name before it is called nobody's.
void Server::question_heard(const Link& link, const ArpQuestion& question) {
  if (is_ours(link, question.target) || !is_own_question(link, question.mac, question.from)) return;
  const std::optional<Unanswered> told = tries_.asked(question, wiring_.clock.now());
  if (!told) return;
  const auto place = doubted_.emplace(question.target, false);
  link.send_arp(question.target);
  wiring_.reactor.at(wiring_.reactor.now() + k_answers_within, [this, place, question, told] {
    const bool is_there = place->second;
    doubted_.erase(place);
    if (!is_there) tell_unanswered(question.mac, question.from, question.target, *told);
  });
}

void Server::arp_heard(const Link& link, std::string_view packet) {
  if (const std::optional<ArpQuestion> question = view_arp_question(packet)) question_heard(link, *question);
  const std::optional<ArpClaim> claim = view_arp(packet);
  if (!claim) return;
  const auto [first, last] = doubted_.equal_range(claim->address);
  std::for_each(first, last, [](auto& entry) { entry.second = true; });
  if (probed_.erase(claim->address) == 0) return;
  const std::optional<Lease> found = engine_.found_in_use(claim->address, claim->mac, now());
  if (!found) return;
  wiring_.logger.warning(
      cat(to_text(claim->address), " is in use by ", to_text(claim->mac), " without a lease: left out"));
  if (journal_) make_durable(*found, [] {}, {});
}

void Server::probe_addresses() {
  probed_.clear();
  const std::vector<Ipv4> next = engine_.next_addresses(k_addresses_ahead, now());
  for (const Ipv4 address : probe_plan_.due(next, engine_.next_addresses(k_addresses_soon, now()), now())) {
    const Network* network = engine_.site().network_of(address);
    for (const auto& link : links_) {
      if (network == nullptr || !network->subnet.contains(link->interface().address)) continue;
      probed_.insert(address);
      link->send_arp(address);
    }
  }
}

void Server::start_watching() {
  const auto repeat = [this](Duration period, auto action) {
    const auto again = std::make_shared<std::function<void()>>();
    *again = [this, period, action, weak = std::weak_ptr(again)] {
      action();
      if (const auto self = weak.lock()) wiring_.reactor.at(wiring_.reactor.now() + period, [self] { (*self)(); });
    };
    (*again)();
  };
  repeat(std::chrono::seconds(10), [this] { look_for_strangers(); });
  if (engine_.site().mode == Mode::full) repeat(std::chrono::seconds(2), [this] { probe_addresses(); });
}

}  // namespace hearth::pxe::dhcp
