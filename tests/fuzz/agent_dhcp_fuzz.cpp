// What the network tells the deploy ramdisk before anybody is trusted: DHCP answers, whatever transaction and machine
// they name, and answers of time servers.
#include "agent/deploy/init/clock_setting.hpp"
#include "agent/deploy/init/dhcp_client.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::agent::deploy;
  const std::string_view bytes = hearth::fuzz::text_of(data, size);
  if (bytes.size() >= 32) (void)parse_sntp(bytes, bytes.substr(24, 8));
  if (bytes.size() < 34) return 0;
  std::uint32_t transaction = 0;
  for (std::size_t i = 4; i < 8; ++i) transaction = transaction << 8U | data[i];
  MacAddress mac{};
  for (std::size_t i = 0; i < mac.size(); ++i) mac[i] = data[28 + i];
  const auto answer = parse_dhcp(bytes, transaction, mac);
  if (!answer) return 0;
  for (const DhcpRoute& route : routes_of(*answer, true)) check((route.network & ~route.mask) == 0);
  for (const char c : resolv_conf(*answer)) check(c == '\n' || (c >= ' ' && c <= '~'));
  check(answer->hostname.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") ==
        std::string::npos);
  return 0;
}
