#include "pxe/dhcp/guard.hpp"

#include "base/check.hpp"
#include "base/text.hpp"
#include "pxe/net/frame.hpp"

namespace hearth::pxe::dhcp {

namespace {

constexpr Seconds k_silence_s = 600;
constexpr Seconds k_double_silence_s = 60;  ///< while another machine is what we are, machines get two answers
constexpr std::size_t k_servers = 256;      ///< most that are told apart

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 100)) out.push_back(c >= ' ' && c <= '~' ? c : '?');
  return out;
}

std::string what_it_offers(const Message& message) {
  std::string out = message.yiaddr ? cat(type_name(message.type()), " of ", to_text(message.yiaddr))
                                   : cat(type_name(message.type()), " without an address (proxyDHCP)");
  if (const std::string* class_id = message.find(option::class_id)) out += cat(", class ", printable(*class_id));
  const std::string* boot_file = message.find(option::boot_file);
  const std::string file = boot_file != nullptr ? *boot_file : message.file;
  if (!file.empty()) out += cat(", boot file ", printable(file));
  return out;
}

}  // namespace

Message Guard::probe(const Mac& mac, std::uint32_t xid) {
  Message message{.op = 1, .xid = xid, .flags = 0x8000};
  message.chaddr = mac;
  message.set_byte(option::type, static_cast<std::uint8_t>(Type::discover));
  message.set(option::class_id, "PXEClient:Arch:00000:UNDI:002001");
  message.set(option::arch, std::string(2, '\0'));
  message.set(option::parameters, {1, 3, 6, 15, 43, 60, 66, 67});
  return message;
}

std::optional<std::string> Guard::heard(std::string_view ip_packet, const Mac& from, Seconds now) {
  const std::optional<UdpView> udp = view_udp(ip_packet);
  if (!udp || udp->to.port != 68) return std::nullopt;
  const Result<Message, std::string> message = parse_message(udp->payload);
  if (!message || message->op != 2) return std::nullopt;
  const Ipv4 server = message->address(option::server).value_or(udp->from.address);
  const bool is_ours = own_.count(server) > 0 || own_.count(udp->from.address) > 0;
  if (is_ours && message->giaddr) return std::nullopt;  // a relay hands on what we have answered
  if (is_ours) {
    if (!is_due(server, now, k_double_silence_s)) return std::nullopt;
    return cat("ANOTHER MACHINE ANSWERS AS ", to_text(server), ", which is this server's own address (MAC ",
               to_text(from), "): ", what_it_offers(*message), "; switch one of the two off: leases are given twice");
  }
  if (allowed_.count(server) > 0 || !is_due(server, now, k_silence_s)) return std::nullopt;
  return cat("another DHCP server: ", to_text(server), " (MAC ", to_text(from), "): ", what_it_offers(*message));
}

bool Guard::is_due(Ipv4 server, Seconds now, Seconds silence) {
  const auto known = reported_.find(server);
  if (known != reported_.end() && known->second + silence > now) return false;
  if (known == reported_.end() && reported_.size() >= k_servers) return false;
  reported_[server] = now;
  check(reported_.size() <= k_servers, "as many servers are told apart as may be", "servers", reported_.size());
  return true;
}

}  // namespace hearth::pxe::dhcp
