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

std::string address_of(const Site& site, const BootPlan& plan) {
  if (site.mode == Mode::proxy) return "from the other DHCP server";
  if (plan.node != nullptr && plan.node->address) return cat(to_text(*plan.node->address), ", its own");
  return "one of the pool";
}

std::string time_text(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm utc{};
  ::gmtime_r(&whole, &utc);
  std::string out(32, '\0');
  out.resize(std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M:%S", &utc));
  return out + fixed(seconds - static_cast<double>(whole), 3).substr(1);
}

std::string field(const Json& event, const char* key) { return event.value(key, std::string()); }

}  // namespace

std::string explain(const Site& site, const NodeBook& nodes, const Mac& mac) {
  const BootPlan plan = plan_for(site, nodes, Client{.mac = mac});
  const Ipv4 server = site.networks.empty() ? Ipv4{} : site.networks.front().server;
  std::string out = cat(to_text(mac), ": ", plan.reason, '\n');
  if (plan.ignored) return out + "It gets no answer at all.\n";
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
