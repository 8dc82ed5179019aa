#include "simulation/layout.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/site/boot_site.hpp"
#include "simulation/random.hpp"

namespace hearth::simulation {

namespace {

constexpr std::size_t k_named = 8;           ///< machines in a note
const pxe::Ipv4 k_drawn_server{0xc0000201};  // 192.0.2.1

std::string drawn_mac(std::size_t number) {
  return pxe::to_text(pxe::Mac{
      {0x52, 0x54, 0, 0, static_cast<std::uint8_t>((number + 1) >> 8U), static_cast<std::uint8_t>(number + 1)}});
}

std::uint64_t image_size(const bootstrap::SiteFile& site, std::vector<std::string>& notes) {
  boost::system::error_code missing;
  const std::uintmax_t size = fs::file_size(site.image, missing);
  if (!missing && size > 0) return size;
  notes.push_back(cat("image: ", site.image.empty() ? "none is named" : cat(site.image.string(), " is not there"),
                      ": one of 2 GiB is played"));
  return Layout().image_bytes;
}

/// Machines whose management is played as something else, by its kind.
void note_management(const bootstrap::SiteFile& site, std::vector<std::string>& notes) {
  std::vector<std::string> others;
  for (const bootstrap::ListingEntry& entry : site.inventory) {
    const std::string type = text_member(entry.data, "pm_type");
    if (type != "redfish")
      others.push_back(cat(text_member(entry.data, "name"), " (", type.empty() ? "none" : type, ")"));
  }
  if (!others.empty())
    notes.push_back(
        cat("every BMC is played as one that speaks Redfish, which these have not: ", join_first(others, k_named)));
}

/// No subnet has addresses of both.
std::string beside(const pxe::Subnet& own, std::string_view usual, std::size_t number) {
  const std::string address = cat(usual, number);
  return own.contains(*pxe::parse_ipv4(address)) ? cat("10", address.substr(address.find('.'))) : address;
}

}  // namespace

std::vector<std::string> Layout::names() const {
  std::vector<std::string> names;
  for (const MachineLayout& machine : machines) names.push_back(machine.name);
  return names;
}

std::uint64_t Layout::pool() const {
  std::uint64_t all = 0;
  for (const pxe::AddressRange& range : network.pools) all += range.last.value - range.first.value + 1;
  return all;
}

std::string Layout::bmc(std::size_t number) const { return beside(network.subnet, "198.51.100.", number + 1); }

std::string Layout::people() const { return beside(network.subnet, "203.0.113.", 2); }

std::string Layout::person() const { return beside(network.subnet, "203.0.113.", 9); }

Layout drawn_layout(std::uint64_t seed, std::size_t machines) {
  Random random = Random::of(seed, "pool");
  Layout layout;
  layout.network.subnet = *pxe::parse_subnet("192.0.2.0/24");
  layout.network.server = k_drawn_server;
  const std::uint32_t first = k_drawn_server.value + 99;
  layout.network.pools = {{{first}, {first + static_cast<std::uint32_t>(machines + random.below(9))}}};
  layout.network.lease_s = random.one_in(2) ? 600 : 3600;
  for (std::size_t number = 0; number < machines; ++number)
    layout.machines.push_back({cat("node", number + 1), drawn_mac(number)});
  return layout;
}

Layout layout_of(const bootstrap::SiteFile& site, std::uint64_t link, std::vector<std::string>& notes) {
  if (site.machines.empty()) throw Error(ErrorKind::input, "machines: the site file lists none: nothing can be played");
  if (site.proxy)
    throw Error(ErrorKind::input, "network.dhcp: another server gives the addresses, whose pool is not known here")
        .hint("a copy of the file with mode full and that server's pool can be played");
  const pxe::Site boot = pxe::parse_site(format_json(bootstrap::boot_site(site, "eth0", "")), "site").value_or_throw();
  Layout layout;
  layout.network = boot.networks.at(0);
  layout.unknown = boot.unknown;
  layout.link = link;
  layout.image_bytes = image_size(site, notes);
  for (const bootstrap::BlankMachine& machine : site.machines) {
    MachineLayout one{machine.name, machine.mac, {}, machine.address};
    if (machine.has_own_firmware) one.uefi = machine.uefi;
    layout.machines.push_back(std::move(one));
  }
  note_management(site, notes);
  return layout;
}

}  // namespace hearth::simulation
