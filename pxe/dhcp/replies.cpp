#include "pxe/dhcp/replies.hpp"

#include "base/text.hpp"

namespace hearth::pxe::dhcp {

namespace {

constexpr std::uint8_t k_relay_server_override = 11;  // RFC 5107
constexpr std::uint8_t k_ipxe_no_proxy = 176;         // iPXE: don't wait for proxyDHCP
constexpr std::uint8_t k_discovery_control = 6;       // PXE 2.1: bits in option 43
constexpr char k_use_this_file = 8;

std::optional<Ipv4> sub_address(const Message& request, std::uint8_t code) {
  const std::string* relay = request.find(option::relay);
  if (relay == nullptr) return std::nullopt;
  Message parts;
  parts.options = parse_suboptions(*relay);
  return parts.address(code);
}

}  // namespace

Ipv4 server_identity(const Message& request, Ipv4 server) {
  return sub_address(request, k_relay_server_override).value_or(server);
}

Message reply_to(const Message& request, Type type, Ipv4 server) {
  Message reply{.op = 2, .hardware = request.hardware, .xid = request.xid, .flags = request.flags};
  reply.giaddr = request.giaddr;
  reply.chaddr = request.chaddr;
  reply.set_byte(option::type, static_cast<std::uint8_t>(type));
  reply.set_address(option::server, server_identity(request, server));
  for (const std::uint8_t code : {option::client_id, option::relay, option::uuid}) {  // RFC 6842, 3046, 4578
    if (const std::string* value = request.find(code)) reply.set(code, *value);
  }
  return reply;
}

void add_network(Message& reply, const Network& network, std::uint32_t lease_s) {
  if (lease_s > 0) {
    reply.set_number(option::lease_time, lease_s);
    reply.set_number(option::renewal, lease_s / 2);
    reply.set_number(option::rebinding, lease_s - lease_s / 8);
  }
  reply.set_address(option::mask, network.subnet.mask());
  reply.set_address(option::broadcast, network.subnet.broadcast());
  reply.set_addresses(option::router, network.routers);
  reply.set_addresses(option::dns, network.dns);
  reply.set_addresses(option::ntp, network.ntp);
  if (!network.domain.empty()) reply.set(option::domain, network.domain);
  if (!network.search.empty()) reply.set(option::search, search_list(network.search));
  if (network.mtu > 0)
    reply.set(option::mtu, {static_cast<char>(network.mtu >> 8U), static_cast<char>(network.mtu & 255U)});
}

void add_boot(Message& reply, const BootOffer& offer, const Client& client, Ipv4 server) {
  if (client.kind == Client::Kind::http) reply.set(option::class_id, "HTTPClient");  // or UEFI ignores the answer
  if (client.kind == Client::Kind::ipxe) reply.set(option::ipxe, write_suboptions({{k_ipxe_no_proxy, "\x01"}}, false));
  if (offer.file.empty()) return;
  reply.siaddr = server;
  reply.file = offer.file;
  reply.set(option::boot_file, offer.file);
  if (offer.by_http) return;
  reply.sname = to_text(server);
  reply.set(option::tftp_server, to_text(server));
  reply.set_address(option::tftp_address, server);
}

void add_proxy(Message& reply, const Client& client) {
  if (client.kind == Client::Kind::http) return;
  reply.set(option::class_id, "PXEClient");
  if (client.is_bios()) reply.set(option::vendor, write_suboptions({{k_discovery_control, {k_use_this_file}}}, true));
}

Answer addressed(Message reply, const Message& request) {
  constexpr std::uint16_t server_port = 67, client_port = 68, broadcast_flag = 0x8000;
  Answer answer{.message = std::move(reply), .limit = answer_limit(request)};
  Message& message = answer.message;
  const bool refused = message.type() == Type::nak;
  if (request.giaddr) {
    if (refused) message.flags |= broadcast_flag;  // RFC 2131 section 4.3.2: the relay must not unicast it
    answer.way = Answer::Way::endpoint;
    answer.to = {request.giaddr, server_port};
  } else if (request.ciaddr && !refused) {
    answer.way = Answer::Way::endpoint;
    answer.to = {request.ciaddr, client_port};
  } else if (!refused && message.yiaddr && (request.flags & broadcast_flag) == 0) {
    answer.way = Answer::Way::hardware;
    answer.to = {message.yiaddr, client_port};
  }
  return answer;
}

}  // namespace hearth::pxe::dhcp
