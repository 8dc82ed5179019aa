#include "pxe/dhcp/engine.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "pxe/dhcp/client_of_message.hpp"
#include "pxe/dhcp/replies.hpp"

namespace hearth::pxe::dhcp {

namespace {

constexpr Seconds k_offer_s = 60;               // how long an offer is kept for its machine
constexpr Seconds k_quarantine_s = 24L * 3600;  // of an address that was declined
constexpr Seconds k_conflict_s = 600;           // of an address that answers ARP
constexpr int k_messages_a_second = 20;         // of one machine
constexpr std::size_t k_machines_a_second = 100000;
constexpr std::size_t k_counted_a_second = 5000;  // leases: those of a hall are counted less often
constexpr int k_strangers_a_second = 2000;        // messages of all machines together whose MAC is in no inventory

Decision silent(std::string event, bool good = false) { return {.event = std::move(event), .good = good}; }

/// The text option 12 of a client, kept only where it could be a host name.
std::string hostname_of(const Message& message) {
  const std::string* name = message.find(option::hostname);
  if (name == nullptr || name->empty() || name->size() > 63) return {};
  const auto odd = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.'; };
  return std::any_of(name->begin(), name->end(), odd) ? std::string() : *name;
}

void check_alone(const LeaseTable& leases, const Network& network, Ipv4 address, const Mac& mac, Seconds now) {
  check(network.subnet.contains(address), "an address is given in its own network", "address", address.value);
  check(leases.is_free_for(address, mac, now), "an address is given to one machine at a time", "address", address.value,
        "now", now);
}

}  // namespace

/// One message, with all that is found out about it before it is answered.
struct Engine::Context {
  const Message& message;
  const Arrival& arrival;
  Seconds now = 0;
  const Network& network;
  Client client;
  BootPlan plan;

  [[nodiscard]] const std::string& who() const { return plan.reason; }
  [[nodiscard]] Message reply(Type type) const { return reply_to(message, type, network.server); }
  /// A reply with everything that the machine needs on this network and for its boot.
  [[nodiscard]] Decision full(const Site& site, Type type, Ipv4 yiaddr, std::uint32_t lease_s) const {
    Message message_out = reply(type);
    message_out.yiaddr = yiaddr;
    add_network(message_out, network, lease_s);
    if (plan.node != nullptr && !plan.node->name.empty()) message_out.set(option::hostname, plan.node->name);
    const BootOffer offer = boot_offer(site, plan, client, network.server);
    add_boot(message_out, offer, client, network.server);
    return {.answer = addressed(std::move(message_out), message),
            .event = cat(who(), ": ", type_name(type), ' ', yiaddr ? to_text(yiaddr) : "without an address", ", ",
                         offer.file.empty() ? "" : offer.file + ": ", offer.explanation)};
  }
};

Engine::Engine(Site site, const NodeBook& nodes, LeaseTable leases)
    : site_(std::move(site)), nodes_(nodes), leases_(std::move(leases)) {}

bool Engine::is_reserved(Ipv4 address) const {
  return site_.is_own(address) || nodes_.find({.address = address}) != nullptr;
}

const Network* Engine::network_for(const Message& message, const Arrival& arrival) const {
  if (!message.giaddr) {
    // RFC 2131 sections 4.3.2 and 4.3.6: who renews or informs writes past its relay, so that ciaddr alone tells where
    // it is.
    const Network* own = message.ciaddr ? site_.network_of(message.ciaddr) : nullptr;
    return own != nullptr ? own : site_.network_of(arrival.local);
  }
  if (const std::string* relay = message.find(option::relay)) {  // RFC 3527: link selection
    Message parts;
    parts.options = parse_suboptions(*relay);
    if (const std::optional<Ipv4> link = parts.address(5)) return site_.network_of(*link);
  }
  if (const std::optional<Ipv4> subnet = message.address(option::subnet)) return site_.network_of(*subnet);  // RFC 3011
  return site_.network_of(message.giaddr);
}

bool Engine::is_too_fast(const Mac& mac, Seconds now) {
  if (now != second_ || this_second_.size() >= k_machines_a_second) this_second_.clear();
  if (now != second_) strangers_ = 0;
  second_ = now;
  check(this_second_.size() < k_machines_a_second, "as many machines are counted as may be", "machines",
        this_second_.size());
  return ++this_second_[std::string(reinterpret_cast<const char*>(mac.bytes.data()), 6)] > k_messages_a_second;
}

Decision Engine::handle(const Message& message, const Arrival& arrival, Seconds now) {
  if (message.op != 1) return {};
  const std::string mac = to_text(message.chaddr);
  if (is_too_fast(message.chaddr, now)) return {.good = false};
  if (!knows(message.chaddr) && ++strangers_ > k_strangers_a_second) {  // told once a second
    if (strangers_ != k_strangers_a_second + 1) return {.good = false};
    return silent(cat("more than ", k_strangers_a_second,
                      " messages in a second of machines that are in no inventory: the rest of them gets no answer"));
  }
  if (!is_unicast(message.chaddr)) return silent(cat("a message from ", mac, ", which is no machine's address"));
  if (message.type() == Type::none) return silent(cat("a BOOTP request of ", mac, ": it gets no answer"));
  const Network* network = network_for(message, arrival);
  if (network == nullptr) {
    return silent(cat(type_name(message.type()), " of ", mac, " by ",
                      message.giaddr ? cat("relay ", to_text(message.giaddr)) : cat("address ", to_text(arrival.local)),
                      ": no network of this site"));
  }
  const Client client = client_of(message);
  const Context context{message, arrival, now, *network, client, plan_for(site_, nodes_, client)};
  if (context.plan.ignored) return silent(context.who(), true);
  if (site_.mode == Mode::proxy || arrival.boot_port) return as_proxy(context);
  switch (message.type()) {
    case Type::discover: return discover(context);
    case Type::request: return request(context);
    case Type::decline: return decline(context);
    case Type::release: return release(context);
    case Type::inform: return inform(context);
    default: return {};
  }
}

/// Half of a pool is anybody's. Of the rest, an address is kept for each node of the inventory that has none: whoever
/// asks under ever new names, or a hall of machines that nobody knows, leaves nodes something to boot with.
void Engine::count_room(const Network& network, Seconds now) {
  std::size_t all = 0;
  for (const AddressRange& pool : network.pools) all += pool.last.value - pool.first.value + 1;
  const std::vector<const Lease*> held = leases_.held(network.pools, now);
  const auto is_nodes = [this](const Lease* lease) {
    const NodeRef node = nodes_.find({.mac = lease->mac});
    return node != nullptr && !node->address;
  };
  const auto served = static_cast<std::size_t>(std::count_if(held.begin(), held.end(), is_nodes));
  const std::size_t nodes = nodes_.without_address();
  const std::size_t kept = std::min(all / 2, nodes > served ? nodes - served : 0);
  rooms_[network.subnet.network] = {now, 1 + static_cast<Seconds>(held.size() / k_counted_a_second),
                                    static_cast<std::int64_t>(all) - static_cast<std::int64_t>(held.size() + kept),
                                    kept};
}

bool Engine::leaves_room(const Context& context) {
  if (context.plan.node != nullptr) return true;
  const Room& room = rooms_[context.network.subnet.network];
  const Seconds since = context.now - room.counted;
  if (since < 0 || since >= room.holds) count_room(context.network, context.now);
  return room.left > 0;
}

bool Engine::may_have(const Context& context, Ipv4 address) {
  if (!context.network.subnet.contains(address) || !leases_.is_free_for(address, context.message.chaddr, context.now))
    return false;
  const NodeRef& node = context.plan.node;
  if (node != nullptr && node->address && context.network.subnet.contains(*node->address))
    return address == *node->address;
  const auto holds = [&](const AddressRange& pool) { return pool.contains(address); };
  if (is_reserved(address) || std::none_of(context.network.pools.begin(), context.network.pools.end(), holds))
    return false;
  const Lease* lease = leases_.of(address);
  const bool has_it = lease != nullptr && lease->mac == context.message.chaddr && lease->expires > context.now;
  return has_it || leaves_room(context);
}

/// Before somebody gets an address.
void Engine::note_new(const Context& context, Ipv4 address) {
  const Lease* lease = leases_.of(address);
  if (lease == nullptr || lease->expires <= context.now) --rooms_[context.network.subnet.network].left;
}

std::optional<Ipv4> Engine::choose(const Context& context) {
  const NodeRef& node = context.plan.node;
  if (node != nullptr && node->address && context.network.subnet.contains(*node->address)) {
    if (may_have(context, *node->address)) return node->address;
    return std::nullopt;
  }
  const Lease* lease = leases_.of(context.message.chaddr);
  if (lease != nullptr && may_have(context, lease->address)) return lease->address;
  const std::optional<Ipv4> asked = context.message.address(option::requested_address);
  if (asked && may_have(context, *asked)) return asked;
  if (!leaves_room(context)) return std::nullopt;
  return leases_.find_free(
      context.network.pools, [this](Ipv4 at) { return is_reserved(at); }, context.now);
}

Decision Engine::discover(const Context& context) {
  const std::optional<Ipv4> address = choose(context);
  if (!address) {
    const std::size_t kept = leaves_room(context) ? 0 : rooms_[context.network.subnet.network].kept;
    Decision refused =
        silent(cat(context.who(), ": no free address in ", to_text(context.network.subnet),
                   kept == 0 ? "" : cat(", but the last ", kept, ", which are kept for nodes of the inventory")));
    refused.no_room = true;
    return refused;
  }
  check_alone(leases_, context.network, *address, context.message.chaddr, context.now);
  note_new(context, *address);
  const Lease* held = leases_.of(*address);
  const bool bound = held != nullptr && held->mac == context.message.chaddr && held->state == Lease::State::bound &&
                     held->expires > context.now + k_offer_s;
  const bool reused = held != nullptr && held->state != Lease::State::offered && !bound;
  if (!bound) leases_.put({*address, context.message.chaddr, Lease::State::offered, context.now + k_offer_s, {}});
  Decision decision = context.full(site_, Type::offer, *address, context.network.lease_s);
  if (reused) decision.probe = address;
  return decision;
}

Decision Engine::request(const Context& context) {
  const Message& message = context.message;
  const std::optional<Ipv4> chosen = message.address(option::server);
  if (chosen && *chosen != server_identity(message, context.network.server)) {
    const Lease* lease = leases_.of(message.chaddr);
    if (lease != nullptr && lease->state == Lease::State::offered) {
      Lease freed = *lease;
      freed.expires = context.now;
      leases_.put(freed);
    }
    return silent(cat(context.who(), ": it takes the offer of ", to_text(*chosen)), true);
  }
  const std::optional<Ipv4> asked = message.address(option::requested_address);
  const Ipv4 wanted = message.ciaddr ? message.ciaddr : asked.value_or(Ipv4{});
  if (!wanted) return silent(cat(context.who(), ": it names no address"));
  return grant(context, wanted);
}

Decision Engine::grant(const Context& context, Ipv4 wanted) {
  if (!may_have(context, wanted)) {
    Message refusal = context.reply(Type::nak);
    refusal.set(option::message, "this address is not yours here");
    return {.answer = addressed(std::move(refusal), context.message),
            .event = cat(context.who(), ": it may not have ", to_text(wanted)),
            .good = false};
  }
  // The client counts from a moment within this second: by whole seconds it would have its address for longer than we.
  const Lease lease{wanted, context.message.chaddr, Lease::State::bound, context.now + context.network.lease_s + 1,
                    hostname_of(context.message)};
  check_alone(leases_, context.network, wanted, context.message.chaddr, context.now);
  check(lease.expires > context.now + context.network.lease_s, "a lease outlasts what its machine is told", "expires",
        lease.expires, "now", context.now);
  note_new(context, wanted);
  leases_.put(lease);
  Decision decision = context.full(site_, Type::ack, wanted, context.network.lease_s);
  decision.keep = lease;
  return decision;
}

Decision Engine::decline(const Context& context) {
  const std::optional<Ipv4> address = context.message.address(option::requested_address);
  const Lease* lease = address ? leases_.of(*address) : nullptr;
  if (lease == nullptr || lease->mac != context.message.chaddr)
    return silent(cat(context.who(), ": it declines an address that it does not have"));
  Lease declined = *lease;
  declined.state = Lease::State::declined;
  declined.expires = context.now + k_quarantine_s;
  leases_.put(declined);
  return {.keep = declined,
          .event = cat(context.who(), ": someone else uses ", to_text(*address), ", which rests for a day now"),
          .good = false};
}

Decision Engine::release(const Context& context) {
  const Lease* lease = leases_.of(context.message.ciaddr);
  if (lease == nullptr || lease->mac != context.message.chaddr || lease->state != Lease::State::bound)
    return silent(cat(context.who(), ": it releases an address that it does not have"));
  Lease released = *lease;
  released.state = Lease::State::released;
  released.expires = context.now;
  leases_.put(released);
  return {.keep = released, .event = cat(context.who(), ": ", to_text(released.address), " is free again")};
}

Decision Engine::inform(const Context& context) {
  if (!context.message.ciaddr) return silent(cat(context.who(), ": it names no address"));
  Decision decision = context.full(site_, Type::ack, {}, 0);
  decision.answer->message.ciaddr = context.message.ciaddr;
  return decision;
}

Decision Engine::as_proxy(const Context& context) {
  const Message& message = context.message;
  const Type type = message.type();
  if (context.client.kind == Client::Kind::other || (type != Type::discover && type != Type::request)) return {};
  if (context.arrival.boot_port && context.client.kind == Client::Kind::http) return {};
  // On port 67 the requests are for the other server, unless this one names us.
  const std::optional<Ipv4> chosen = message.address(option::server);
  if (type == Type::request && !context.arrival.boot_port && chosen != context.network.server) return {};
  const BootOffer offer = boot_offer(site_, context.plan, context.client, context.network.server);
  if (offer.file.empty()) return silent(cat(context.who(), ": ", offer.explanation), true);
  Message reply = context.reply(type == Type::discover ? Type::offer : Type::ack);
  reply.ciaddr = message.ciaddr;
  add_boot(reply, offer, context.client, context.network.server);
  add_proxy(reply, context.client);
  Decision decision{.answer = addressed(std::move(reply), message),
                    .event = cat(context.who(), ": as proxy, ", offer.file, ": ", offer.explanation)};
  if (context.arrival.boot_port) {
    decision.answer->way = Answer::Way::endpoint;
    decision.answer->to = context.arrival.from;
  }
  return decision;
}

std::optional<Lease> Engine::found_in_use(Ipv4 address, const Mac& by, Seconds now) {
  const Lease* lease = leases_.of(address);
  const bool held = lease != nullptr && lease->expires > now;
  if (held && (lease->state != Lease::State::offered || lease->mac == by)) return std::nullopt;
  const Network* network = site_.network_of(address);
  if (network == nullptr || is_reserved(address)) return std::nullopt;
  const Lease found{address, by, Lease::State::declined, now + k_conflict_s, {}};
  leases_.put(found);
  return found;
}

std::vector<Ipv4> Engine::next_addresses(std::size_t count, Seconds now) const {
  std::vector<Ipv4> all;
  for (const Network& network : site_.networks) {
    const std::vector<Ipv4> next = leases_.next_free(
        network.pools, [this](Ipv4 at) { return is_reserved(at); }, now, count);
    all.insert(all.end(), next.begin(), next.end());
  }
  return all;
}

}  // namespace hearth::pxe::dhcp
