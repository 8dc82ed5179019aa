// What the network tells the deploy ramdisk before anybody is trusted: DHCP answers, whatever transaction and machine
// they name, answers of time servers, of DHCPv6 servers and of IPv6 routers.
#include "agent/deploy/init/clock_setting.hpp"
#include "agent/deploy/init/dhcp_message.hpp"
#include "agent/deploy/init/ipv6_message.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::agent::deploy;
  const std::string_view bytes = hearth::fuzz::text_of(data, size);
  if (bytes.size() >= 32) (void)parse_sntp(bytes, bytes.substr(24, 8));
  if (const auto router = parse_router_advertisement(bytes)) {
    for (const IpBytes& server : router->name_servers) check(server.size() == 16);
  }
  if (bytes.size() >= 14) {  // the client's name first, as most servers answer
    MacAddress client{};
    for (std::size_t i = 0; i < client.size(); ++i) client[i] = bytes.size() > 17 ? data[12 + i] : std::uint8_t{0};
    const std::uint32_t asked = std::uint32_t{data[1]} << 16U | std::uint32_t{data[2]} << 8U | data[3];
    const auto told = parse_dhcp6(bytes, asked, client);
    if (told) check(!told->server.empty() && (told->address.empty() || told->address.size() == 16));
    if (told && !told->address.empty()) check(told->renew_seconds <= told->valid_seconds);
  }
  if (bytes.size() < 34) return 0;
  std::uint32_t transaction = 0;
  for (std::size_t i = 4; i < 8; ++i) transaction = transaction << 8U | data[i];
  MacAddress mac{};
  for (std::size_t i = 0; i < mac.size(); ++i) mac[i] = data[28 + i];
  const auto answer = parse_dhcp(bytes, transaction, mac);
  if (!answer) return 0;
  for (const DhcpRoute& route : routes_of(*answer, true)) check((route.network & ~route.mask) == 0);
  for (const char c : answer->domain) check(c > ' ' && c <= '~');
  check(answer->hostname.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") ==
        std::string::npos);
  return 0;
}
