#include "pxe/boot/explain.hpp"

#include <ctime>
#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "pxe/boot/answer.hpp"

namespace hearth::pxe {

namespace {

struct Firmware {
  std::string_view name;
  Client::Kind kind;
  std::uint16_t arch;
};

std::string pools_of(const Network& network) {
  std::vector<std::string> pools;
  for (const AddressRange& pool : network.pools) pools.push_back(cat(to_text(pool.first), "-", to_text(pool.last)));
  return pools.empty() ? cat("none: ", to_text(network.subnet), " has no pool") : join(pools, ", ");
}

std::string address_of(const Site& site, const BootPlan& plan) {
  if (site.mode == Mode::proxy) return "from the other DHCP server";
  if (plan.node != nullptr && plan.node->address) return cat(to_text(*plan.node->address), ", its own");
  if (site.networks.size() == 1) return cat("one of the pool: ", pools_of(site.networks.front()));
  std::string text = "one of the pool of the network that it asks from";
  for (const Network& network : site.networks) text += cat("\n  in ", to_text(network.subnet), ": ", pools_of(network));
  return text;
}

/// What the machine does when it is switched on and asks the network.
std::string_view what_it_does(BootState state) {
  switch (state) {
    case BootState::local: return "starts from its own disk";
    case BootState::deploy: return "boots the deploy ramdisk, which writes its image to its disk";
    case BootState::inspect: return "boots the ramdisk that tells what it is made of";
    case BootState::rescue: return "boots the ramdisk for repairs";
    case BootState::hold: break;
  }
  return "waits in its boot loader, which asks again every 30 seconds";
}

std::string_view wish_of(BootState state) {
  switch (state) {
    case BootState::local: return "with nothing to be done to it";
    case BootState::deploy: return "to be deployed";
    case BootState::inspect: return "to be inspected";
    case BootState::rescue: return "to be repaired";
    case BootState::hold: break;
  }
  return "to be held back";
}

std::string why_it_does(const Site& site, const BootPlan& plan) {
  const BootState wished = plan.node != nullptr                     ? plan.node->state
                           : site.unknown == UnknownPolicy::inspect ? BootState::inspect
                                                                    : BootState::local;
  std::string why;
  if (plan.node != nullptr) {
    why = cat("the site lists it", plan.node->name.empty() ? "" : " as ", plan.node->name, ", ", wish_of(wished),
              " (state: ", state_name(wished), ")");
  } else {
    why = cat("no machine of the site has this address, and for others the site says unknown: ",
              plan.ignored ? "ignore" : state_name(wished));
  }
  if (plan.state != wished)
    return cat(why, ", but it has no kernel and ramdisk for that (profiles: ", state_name(wished), ")");
  if (plan.node == nullptr || wished != BootState::local) return why;
  return cat(why, "; a conductor (hearth node serve --boot) boots it over the network while its node is inspected, ",
             "deployed, cleaned or rescued");
}

std::string time_text(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm utc{};
  ::gmtime_r(&whole, &utc);
  std::string out(32, '\0');
  out.resize(std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M:%S", &utc));
  return cat(out, fixed(seconds - static_cast<double>(whole), 3).substr(1), " UTC");
}

std::string field(const Json& event, const char* key) { return event.value(key, std::string()); }

}  // namespace

std::string explain(const Site& site, const NodeBook& nodes, const Mac& mac) {
  const BootPlan plan = plan_for(site, nodes, Client{.mac = mac});
  const Ipv4 server = site.networks.empty() ? Ipv4{} : site.networks.front().server;
  const std::string name = plan.node == nullptr || plan.node->name.empty() ? "" : cat(" (", plan.node->name, ")");
  const std::string why = cat("why: ", why_it_does(site, plan), "\n");
  if (plan.ignored) return cat(to_text(mac), " gets no answer at all.\n", why);
  std::string out = cat(to_text(mac), name, " ", what_it_does(plan.state), ".\n", why);
  out += cat("address: ", address_of(site, plan), '\n');
  for (const Firmware& firmware :
       {Firmware{"BIOS", Client::Kind::pxe, 0}, Firmware{"UEFI", Client::Kind::pxe, 7},
        Firmware{"UEFI HTTP boot", Client::Kind::http, 16}, Firmware{"iPXE", Client::Kind::ipxe, 0}}) {
    const BootOffer offer = boot_offer(site, plan, {.mac = mac, .kind = firmware.kind, .arch = firmware.arch}, server);
    out += cat(firmware.name, ": ", offer.file.empty() ? "" : offer.file + " - ", offer.explanation, '\n');
  }
  return cat(out, "\nThe script for iPXE:\n", ipxe_script(site, plan, mac, server));
}

std::vector<std::string> boot_events(std::string_view events, const std::vector<Mac>& macs) {
  std::set<std::string> names;
  for (const Mac& mac : macs) names.insert(to_text(mac));
  std::set<std::string> addresses;
  std::vector<std::string> found;
  for (const std::string& line : split_lines(events)) {
    const Result<Json> event = parse_json(line, "events");
    if (!event || !event->is_object()) continue;
    const std::string mac = field(*event, "mac");
    const std::string client = field(*event, "client");
    const bool by_mac = names.contains(mac);
    if (by_mac && client != "0.0.0.0") addresses.insert(client);
    // The address may pass to another machine later: its DHCP events have another MAC.
    if (!by_mac && !mac.empty()) addresses.erase(client);
    if (by_mac || addresses.contains(client)) found.push_back(line);
  }
  return found;
}

std::string boot_log(const std::vector<std::string>& events) {
  std::string out;
  for (const std::string& line : events) {
    const Result<Json> event = parse_json(line, "events");
    if (!event || !event->is_object()) continue;
    out += cat(time_text(event->value("time", 0.0)), "  ", field(*event, "protocol"), "  ", field(*event, "what"), ": ",
               field(*event, "outcome"));
    const std::uint64_t bytes = event->value("bytes", std::uint64_t{0});
    out += cat(bytes > 0 ? cat(", ", human_bytes(bytes)) : "", " in ", fixed(event->value("seconds", 0.0), 3), " s\n");
  }
  return out;
}

}  // namespace hearth::pxe
