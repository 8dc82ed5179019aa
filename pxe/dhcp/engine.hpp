// The DHCP server without its sockets: a message comes in, an answer, a lease to be kept and an event come out
// (RFC 2131 section 4.3; RFC 4578 and the PXE specification 2.1 for proxyDHCP). Pure but for the lease table it owns.
//
// A machine boots: DISCOVER → an address is chosen (its own of the inventory, else the one it had, else the one it asks
// for, else a free one) and held for a minute → OFFER. REQUEST → the same address is bound → ACK, with what to boot.
//
// What must hold: one address is given to one machine at a time; a lease is durable before its ACK leaves
// (Decision::keep), and lasts longer here than the machine is told. Whoever has lost power in between asks again, and
// gets the same address. Addresses that the inventory gives to nodes are nobody else's, and up to half of a pool is
// left for nodes that have none.
//
// Against who floods: a machine's messages are counted by the second, those of machines in no inventory together. What
// is no answer is silence: DHCP has no refusals but NAK, which is said only to who asks for an address that it may not
// have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pxe/boot/answer.hpp"
#include "pxe/boot/site.hpp"
#include "pxe/dhcp/leases.hpp"
#include "pxe/dhcp/message.hpp"

namespace hearth::pxe::dhcp {

/// How a message came in.
struct Arrival {
  Endpoint from;
  Ipv4 local;              ///< our address on that interface
  bool boot_port = false;  ///< on port 4011, not 67
};

struct Answer {
  enum class Way {
    endpoint,   ///< as UDP to `to`
    broadcast,  ///< to 255.255.255.255:68 on the interface
    hardware,   ///< to yiaddr at the client's MAC: it has no address to answer ARP with yet
  };
  Message message;
  Way way = Way::broadcast;
  Endpoint to;
  std::size_t limit = 548;  ///< bytes that the client takes
};

struct Decision {
  std::optional<Answer> answer;
  std::optional<Lease> keep;  ///< must be durable before the answer leaves
  std::string event;          ///< one line; empty = nothing worth telling
  bool good = true;
  bool no_room = false;       ///< no address is free for who asks
  std::optional<Ipv4> probe;  ///< was in use before: ask now whether it still is, the answer comes before the REQUEST
};

class Engine {
 public:
  /// `nodes` must outlive it, and may change at any time.
  Engine(Site site, const NodeBook& nodes, LeaseTable leases);

  [[nodiscard]] Decision handle(const Message& message, const Arrival& arrival, Seconds now);
  /// Someone answers ARP for an address that nobody, or somebody else, has from us: it is not given out for a while.
  /// Returns the lease to keep; nothing when the address is rightly in use.
  [[nodiscard]] std::optional<Lease> found_in_use(Ipv4 address, const Mac& by, Seconds now);
  /// The addresses that would be given next: to be probed before that.
  [[nodiscard]] std::vector<Ipv4> next_addresses(std::size_t count, Seconds now) const;
  /// New settings; leases stay.
  void use(Site site) { site_ = std::move(site); }

  [[nodiscard]] const Site& site() const { return site_; }
  [[nodiscard]] bool knows(const Mac& mac) const { return nodes_.find({.mac = mac}) != nullptr; }
  [[nodiscard]] const LeaseTable& leases() const { return leases_; }

 private:
  struct Context;
  [[nodiscard]] Decision discover(const Context& context);
  [[nodiscard]] Decision request(const Context& context);
  [[nodiscard]] Decision grant(const Context& context, Ipv4 wanted);
  [[nodiscard]] Decision decline(const Context& context);
  [[nodiscard]] Decision release(const Context& context);
  [[nodiscard]] Decision inform(const Context& context);
  [[nodiscard]] Decision as_proxy(const Context& context);
  [[nodiscard]] std::optional<Ipv4> choose(const Context& context);
  [[nodiscard]] bool may_have(const Context& context, Ipv4 address);
  /// Whether a machine that is no node may have one more of the addresses that nobody has.
  [[nodiscard]] bool leaves_room(const Context& context);
  void note_new(const Context& context, Ipv4 address);
  void count_room(const Network& network, Seconds now);
  [[nodiscard]] bool is_too_fast(const Mac& mac, Seconds now);
  [[nodiscard]] const Network* network_for(const Message& message, const Arrival& arrival) const;

  /// Whether an address is never a stranger's.
  [[nodiscard]] bool is_reserved(Ipv4 address) const;

  Site site_;
  const NodeBook& nodes_;
  LeaseTable leases_;
  std::unordered_map<std::string, int> this_second_;  ///< messages by MAC
  int strangers_ = 0;                                 ///< messages in this second
  Seconds second_ = 0;
  /// Of a network, as it was counted: how many addresses strangers may have yet, and how many are kept for nodes.
  struct Room {
    Seconds counted = -1;
    Seconds holds = 0;  ///< for so long
    std::int64_t left = 0;
    std::size_t kept = 0;
  };
  std::map<Ipv4, Room> rooms_;  ///< by its address
};

}  // namespace hearth::pxe::dhcp
