#include "agent/deploy/init/network.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "agent/deploy/init/dhcp_client.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr Duration k_carrier = std::chrono::seconds(10);
constexpr Duration k_patience = std::chrono::seconds(60);

bool has_carrier(const std::string& interface) {
  try {
    return trim(RealFileSystem().read(cat("/sys/class/net/", interface, "/carrier")).value_or("")) == "1";
  } catch (const Error&) {
    return false;
  }
}

void wait_for_carrier(const std::vector<Nic>& nics, Clock& clock) {
  const Deadline deadline = Deadline::after(k_carrier, clock);
  while (!deadline.passed(clock.now())) {
    if (std::any_of(nics.begin(), nics.end(), [](const Nic& nic) { return has_carrier(nic.name); })) return;
    clock.sleep(std::chrono::milliseconds(50));
  }
}

void keep_lease(const Nic& nic, MacAddress mac, DhcpAnswer lease) {
  std::thread([nic, mac, lease]() mutable {
    SystemClock clock;
    while (lease.lease_seconds != 0xffffffff) {  // that is for ever
      clock.sleep(std::chrono::seconds(std::max<std::uint32_t>(lease.lease_seconds / 2, 30)));
      try {
        const auto renewed = renew_lease(nic.name, mac, lease, Deadline::after(std::chrono::seconds(30), clock), clock);
        if (renewed) lease = *renewed;
      } catch (const Error&) {
        continue;  // the next time
      }
    }
  }).detach();
}

bool configure_nic(const Nic& nic, bool first, Clock& clock, Console& console) {
  const std::optional<MacAddress> mac = parse_mac(nic.mac);
  if (!mac || !has_carrier(nic.name)) {
    console.say(cat(nic.name, " (", nic.mac, "): no link"));
    return false;
  }
  const auto lease = ask_for_lease(nic.name, *mac, Deadline::after(k_patience, clock), clock);
  if (!lease) {
    console.say(cat(nic.name, " (", nic.mac, "): no DHCP server answers"));
    return false;
  }
  apply_lease(nic.name, *lease, first);
  if (first) {
    RealFileSystem files;
    files.make_directories("/etc", 0755);
    files.write("/etc/resolv.conf", resolv_conf(*lease), {});
    if (!lease->hostname.empty() && ::sethostname(lease->hostname.data(), lease->hostname.size()) != 0) {
      console.say(cat("the name ", lease->hostname, " can't be taken: ", ::strerror(errno)));
    }
  }
  console.say(cat(nic.name, " (", nic.mac, ") has the address ", ipv4_text(lease->address), " from ",
                  ipv4_text(lease->server)));
  if (lease->lease_seconds > 0) keep_lease(nic, *mac, *lease);
  return true;
}

}  // namespace

std::vector<Nic> nics_to_configure(const std::vector<Nic>& nics, const Settings& settings) {
  std::vector<Nic> chosen;
  for (const Nic& nic : nics) {
    const bool by_name = !settings.interface.empty() && nic.name == settings.interface;
    const bool by_mac = settings.interface.empty() && !settings.boot_mac.empty() && nic.mac == settings.boot_mac;
    if (by_name || by_mac) chosen.push_back(nic);
  }
  return chosen.empty() ? nics : chosen;
}

bool start_network(const std::vector<Nic>& nics, const Settings& settings, Clock& clock, Console& console) {
  bring_up("lo");
  const std::vector<Nic> chosen = nics_to_configure(nics, settings);
  for (const Nic& nic : chosen) bring_up(nic.name);
  wait_for_carrier(chosen, clock);
  bool any = false;
  for (const Nic& nic : chosen) any = configure_nic(nic, !any, clock, console) || any;
  return any;
}

}  // namespace hearth::agent::deploy
