#include "bootstrap/conductor/boot_records.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "pxe/boot/explain.hpp"
#include "pxe/dhcp/journal.hpp"

namespace hearth::bootstrap {

namespace {

namespace dhcp = pxe::dhcp;

constexpr Stamp k_lease_second = 1'000'000;

/// Of what all machines have asked for: whoever looks at one of them keeps nobody waiting while a hall's log is read.
constexpr std::size_t k_looked_through = std::size_t{4} << 20U;

/// Its last whole lines; empty where there is none.
std::string end_of(const fs::path& path, std::size_t most) {
  if (!RealFileSystem().status(path)) return "";
  const Fd file = Fd::open(path.string(), O_RDONLY);
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, size - static_cast<off_t>(most));
  ::lseek(file.get(), begin, SEEK_SET);
  std::string text = read_all(file, path.string());
  if (begin > 0) text.erase(0, text.find('\n') + 1);
  return text;
}

Json network_json(const pxe::Network& network, pxe::Mode mode) {
  Json pools = Json::array();
  std::uint64_t addresses = 0;
  for (const pxe::AddressRange& pool : network.pools) {
    pools.push_back(cat(pxe::to_text(pool.first), "-", pxe::to_text(pool.last)));
    addresses += std::uint64_t{pool.last.value} - pool.first.value + 1;
  }
  return {{"subnet", pxe::to_text(network.subnet)},
          {"server", pxe::to_text(network.server)},
          {"mode", mode == pxe::Mode::proxy ? "proxy" : "full"},
          {"pools", pools},
          {"addresses", addresses}};
}

std::string state_of(const dhcp::Lease& lease, dhcp::Seconds now) {
  if (lease.state == dhcp::Lease::State::released) return "released";
  if (lease.expires <= now) return "over";
  if (lease.state == dhcp::Lease::State::declined) return "declined";
  return lease.state == dhcp::Lease::State::bound ? "bound" : "offered";
}

/// Of addresses in a pool, as it is written: "192.0.2.100-192.0.2.199".
bool is_in_pool(const Json& network, pxe::Ipv4 address) {
  for (const Json& pool : network["pools"]) {
    const std::vector<std::string> ends = split(pool.get<std::string>(), '-');
    const pxe::AddressRange range{pxe::parse_ipv4(ends.at(0)).value_or(pxe::Ipv4{}),
                                  pxe::parse_ipv4(ends.at(1)).value_or(pxe::Ipv4{})};
    if (range.contains(address)) return true;
  }
  return false;
}

}  // namespace

Json boot_document(const pxe::Site& site, const std::string& url) {
  Json networks = Json::array();
  for (const pxe::Network& network : site.networks) networks.push_back(network_json(network, site.mode));
  const fs::path state = fs::absolute(site.state_dir);
  return {{"url", url},
          {"events", (state / "events.jsonl").string()},
          {"leases", (state / "leases").string()},
          {"networks", networks}};
}

std::optional<std::vector<Json>> boot_requests(Store& store, const Node& node, std::size_t most) {
  const std::optional<Json> boot = store.document(k_boot_document);
  const std::string file = boot ? text_in(*boot, "events") : "";
  if (file.empty()) return std::nullopt;
  std::vector<pxe::Mac> macs;
  for (const Port& port : node.ports) {
    if (const std::optional<pxe::Mac> mac = pxe::parse_mac(port.address)) macs.push_back(*mac);
  }
  std::string events = end_of(file, k_looked_through);
  if (events.size() < k_looked_through) events.insert(0, end_of(file + ".1", k_looked_through - events.size()));
  const std::vector<std::string> lines = pxe::boot_events(events, macs);
  std::vector<Json> found;
  for (std::size_t i = lines.size() > most ? lines.size() - most : 0; i < lines.size(); ++i)
    found.push_back(json_or_null(lines[i]));
  return found;
}

Json network_view(Store& store, Stamp now) {
  Json view = {{"networks", Json::array()}, {"leases", Json::array()}};
  const std::optional<Json> boot = store.document(k_boot_document);
  if (!boot) return view;
  view["networks"] = boot->value("networks", Json::array());
  for (Json& network : view["networks"]) network["held"] = 0;
  dhcp::LeaseTable table;
  for (const dhcp::Lease& lease :
       dhcp::parse_journal(RealFileSystem().read(text_in(*boot, "leases")).value_or("")).leases)
    table.put(lease);
  for (const dhcp::Lease& lease : table.all()) {
    const std::string state = state_of(lease, now / k_lease_second);
    view["leases"].push_back({{"address", pxe::to_text(lease.address)},
                              {"mac", pxe::to_text(lease.mac)},
                              {"state", state},
                              {"until", stamp_json(lease.expires * k_lease_second)},
                              {"hostname", lease.hostname}});
    if (state != "bound" && state != "declined") continue;
    for (Json& network : view["networks"]) {
      if (is_in_pool(network, lease.address)) network["held"] = network["held"].get<int>() + 1;
    }
  }
  return view;
}

}  // namespace hearth::bootstrap
