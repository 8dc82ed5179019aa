#include "agent/deploy/init/network.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "agent/deploy/init/clock_setting.hpp"
#include "agent/deploy/init/dhcp_client.hpp"
#include "agent/deploy/init/ipv6_client.hpp"
#include "agent/deploy/init/lease_keeper.hpp"
#include "agent/deploy/init/links.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr Duration k_carrier = std::chrono::seconds(10);
constexpr Duration k_patience = std::chrono::seconds(60);
constexpr Duration k_renewal = std::chrono::seconds(20);
constexpr Duration k_again = std::chrono::seconds(5);             ///< between two tries of an interface that is late
constexpr Duration k_router_patience = std::chrono::seconds(12);  ///< three questions; routers answer in half a second
constexpr Duration k_others = std::chrono::seconds(5);  ///< more for the other interfaces once one has its address

bool has_carrier(const std::string& interface) {
  try {
    return trim(RealFileSystem().read(cat("/sys/class/net/", interface, "/carrier")).value_or("")) == "1";
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

/// What the threads, one an interface and a family, and their starter share.
struct NetworkProgress {
  std::mutex lock;
  std::condition_variable changed;
  std::set<std::string> running;  ///< threads, by interface and family
  std::size_t asking4 = 0;        ///< interfaces that have no answer yet
  std::size_t asking6 = 0;
  bool up4 = false;  ///< there is an address
  bool up6 = false;
  bool leased = false;  ///< an interface has named the machine, and has the default route
  bool peer_dns = true;
  std::string domain;
  std::vector<std::string> told_servers;  ///< nameserver=
  std::vector<std::string> servers4;
  std::vector<std::string> servers6;
  std::vector<std::string> time_servers;

  /// Writes /etc/resolv.conf. The lock is held, as below.
  void note_name_servers() const {
    std::vector<std::string> servers = told_servers;
    if (peer_dns) servers.insert(servers.end(), servers4.begin(), servers4.end());
    if (peer_dns) servers.insert(servers.end(), servers6.begin(), servers6.end());
    RealFileSystem files;
    files.make_directories("/etc", 0755);
    files.write("/etc/resolv.conf", resolv_conf(domain, servers), {});
  }

  void note_time_server(const std::string& server) {
    if (std::find(time_servers.begin(), time_servers.end(), server) == time_servers.end()) {
      time_servers.push_back(server);
    }
  }

  void settle(std::size_t& asking) {
    const std::lock_guard guard(lock);
    --asking;
    changed.notify_all();
  }

  /// A thread that counts in `asking` until it settles, unless it runs already.
  void begin(const std::string& name, std::size_t& asking, const std::function<void()>& work) {
    const std::lock_guard guard(lock);
    if (running.count(name) != 0) return;
    std::thread(work).detach();
    running.insert(name);
    ++asking;
  }

  void end(const std::string& name) {
    const std::lock_guard guard(lock);
    running.erase(name);
  }
};

namespace {

bool wait_for_carrier(const std::string& interface, Clock& clock) {
  const Deadline deadline = Deadline::after(k_carrier, clock);
  while (!has_carrier(interface)) {
    if (deadline.passed(clock.now())) return false;
    clock.sleep(std::chrono::milliseconds(50));
  }
  return true;
}

std::string running_name(const std::string& interface, int family) { return cat(interface, " ", family); }

void name_machine(const std::string& name, Console& console) {
  if (!name.empty() && ::sethostname(name.data(), name.size()) != 0) {
    console.say(cat("the name ", name, " can't be taken: ", ::strerror(errno)));
  }
}

/// One interface: asks until it gets something, takes that, and renews it for as long as the ramdisk lives.
class Interface {
 public:
  Interface(const Nic& nic, std::shared_ptr<NetworkProgress> progress, Console& console)
      : nic_(nic), progress_(std::move(progress)), console_(console) {}

  [[noreturn]] void run() {
    attempt();
    progress_->settle(progress_->asking4);
    while (!lease_) {
      clock_.sleep(k_again);
      attempt();
    }
    keep();
  }

 private:
  void attempt() {
    try {
      lease_ = first_lease();
      if (lease_) take();
    } catch (const std::exception& error) {
      tell_news(error.what());
      lease_.reset();
    }
  }

  std::optional<DhcpAnswer> first_lease() {
    const std::optional<MacAddress> mac = parse_mac(nic_.mac);
    if (!mac || !wait_for_carrier(nic_.name, clock_)) {
      tell_news("no link");
      return std::nullopt;
    }
    mac_ = *mac;
    std::optional<DhcpAnswer> lease = ask();
    if (!lease) tell_news("no DHCP server answers");
    return lease;
  }

  /// What has not been told just before.
  void tell_news(const std::string& text) {
    if (text != told_) console_.say(cat(nic_.name, " (", nic_.mac, "): ", text));
    told_ = text;
  }

  std::optional<DhcpAnswer> ask() {
    return ask_for_lease(nic_.name, mac_, Deadline::after(k_patience, clock_), clock_);
  }

  /// The first interface with an address has the default route and names the machine.
  void take() {
    const std::lock_guard lock(progress_->lock);
    is_first_ = is_first_ || !progress_->leased;
    RealLinks links;
    apply_lease(nic_.name, *lease_, is_first_, links, [this](const std::string& text) { console_.say(text); });
    taken_ = lease_;
    if (is_first_) take_names();
    progress_->up4 = true;
    console_.say(cat(nic_.name, " (", nic_.mac, ") has the address ", ipv4_text(lease_->address), " from ",
                     ipv4_text(lease_->server)));
  }

  void take_names() {
    progress_->leased = true;
    progress_->domain = lease_->domain;
    progress_->servers4.clear();
    for (const Ipv4 server : lease_->name_servers) progress_->servers4.push_back(ipv4_text(server));
    for (const Ipv4 server : lease_->time_servers) progress_->note_time_server(ipv4_text(server));
    progress_->note_name_servers();
    name_machine(lease_->hostname, console_);
  }

  [[noreturn]] void keep() {
    const auto renew = [this](const Deadline& end) { return accept(renewed(end)); };
    LeaseKeeper keeper({renew, [this] { return accept(ask()); }, [this] { drop(); }}, term_of(*lease_), clock_);
    while (true) keeper.step();
  }

  static LeaseTerm term_of(const DhcpAnswer& lease) {
    const bool for_ever = lease.lease_seconds == 0 || lease.lease_seconds == 0xffffffff;
    const std::chrono::seconds valid(for_ever ? 0xffffffff : lease.lease_seconds);
    return {valid / 2, valid};
  }

  std::optional<LeaseTerm> accept(const std::optional<DhcpAnswer>& next) {
    if (!next) return std::nullopt;
    if (next->kind == DhcpKind::nak) return LeaseTerm{};
    lease_ = next;
    if (!taken_ || taken_->address != next->address || taken_->routes != next->routes) take();
    return term_of(*next);
  }

  void drop() {
    RealLinks links;
    if (taken_) links.drop_address(nic_.name, ipv4_bytes(taken_->address), std::popcount(taken_->mask));
    taken_.reset();
    console_.say(cat(nic_.name, " (", nic_.mac, "): the lease of ", ipv4_text(lease_->address),
                     " is over, so the address is no longer used"));
  }

  std::optional<DhcpAnswer> renewed(const Deadline& end) {
    const Deadline patience = Deadline::after(k_renewal, clock_);
    return renew_lease(nic_.name, mac_, *lease_, Deadline::earlier(patience, end), clock_);
  }

  Nic nic_;
  std::shared_ptr<NetworkProgress> progress_;
  Console& console_;
  SystemClock clock_;
  MacAddress mac_{};
  std::optional<DhcpAnswer> lease_;
  std::optional<DhcpAnswer> taken_;  ///< what the interface has of it
  std::string told_;
  bool is_first_ = false;
};

/// The same for IPv6. What a router says of addresses and routes is the kernel's to take; we ask for the rest.
class Interface6 {
 public:
  Interface6(const Nic& nic, Method method, std::shared_ptr<NetworkProgress> progress, Console& console)
      : nic_(nic), method_(method), progress_(std::move(progress)), console_(console) {}

  void run() {
    try {
      if (wait_for_carrier(nic_.name, clock_)) ask();
    } catch (const std::exception& error) {
      console_.say(error.what());
      lease_.reset();
    }
    progress_->settle(progress_->asking6);
    if (lease_) keep();
    progress_->end(running_name(nic_.name, 6));
  }

 private:
  [[nodiscard]] Deadline within(Duration duration) const { return Deadline::after(duration, clock_); }

  void ask() {
    const bool expected = method_ != Method::automatic;
    mac_ = parse_mac(nic_.mac).value_or(MacAddress{});
    const auto router = ask_routers(nic_.name, within(expected ? k_patience : k_router_patience), clock_);
    const bool managed = router ? router->managed : method_ == Method::either6;
    if (method_ == Method::dhcp6 || (managed && method_ != Method::auto6)) {
      lease_ = ask_dhcp6(nic_.name, mac_, true, within(k_patience), clock_);
      if (lease_) move_address(IpBytes(), lease_->address);
      if (!lease_) console_.say(cat(nic_.name, " (", nic_.mac, "): no DHCPv6 server gives an address"));
    }
    const bool up = (router || lease_) && wait_for_global_address(nic_.name, within(k_carrier), clock_);
    if (!up && expected) console_.say(cat(nic_.name, " (", nic_.mac, "): no address of IPv6"));
    if (!up) return;
    const bool more = router && router->other && !lease_ && method_ != Method::auto6;
    const auto told = more ? ask_dhcp6(nic_.name, mac_, false, within(k_others), clock_) : lease_;
    take(router ? router->name_servers : std::vector<IpBytes>(), told.value_or(Dhcp6Answer{}));
  }

  void move_address(const IpBytes& before, const IpBytes& now) const {
    RealLinks links;
    move_address6(nic_.name, before, now, links);
  }

  void take(std::vector<IpBytes> servers, const Dhcp6Answer& told) {
    const std::lock_guard lock(progress_->lock);
    servers.insert(servers.end(), told.name_servers.begin(), told.name_servers.end());
    if (progress_->servers6.empty()) {
      for (const IpBytes& server : servers) progress_->servers6.push_back(server_text(server, nic_.name));
    }
    for (const IpBytes& server : told.time_servers) progress_->note_time_server(server_text(server, nic_.name));
    progress_->note_name_servers();
    progress_->up6 = true;
    console_.say(cat(nic_.name, " (", nic_.mac, ") has ",
                     lease_ ? cat("the address ", ip_text(lease_->address), " by DHCPv6") : "an address by a router"));
  }

  [[noreturn]] void keep() {
    held_ = lease_->address;
    const auto renew = [this](const Deadline& end) {
      const Deadline patience = Deadline::earlier(Deadline::after(k_renewal, clock_), end);
      return accept(renew_dhcp6(nic_.name, mac_, *lease_, patience, clock_));
    };
    const auto ask = [this] { return ask_dhcp6(nic_.name, mac_, true, within(k_patience), clock_); };
    const auto drop = [this] { move_address(std::exchange(held_, IpBytes()), IpBytes()); };
    LeaseKeeper keeper({renew, [this, ask] { return accept(ask()); }, drop}, term_of(*lease_), clock_);
    while (true) keeper.step();
  }

  static LeaseTerm term_of(const Dhcp6Answer& lease) {
    return {std::chrono::seconds(lease.renew_seconds), std::chrono::seconds(lease.valid_seconds)};
  }

  std::optional<LeaseTerm> accept(const std::optional<Dhcp6Answer>& next) {
    if (!next) return std::nullopt;
    move_address(held_, next->address);
    held_ = next->address;
    lease_ = next;
    return term_of(*next);
  }

  Nic nic_;
  Method method_;
  std::shared_ptr<NetworkProgress> progress_;
  Console& console_;
  SystemClock clock_;
  MacAddress mac_{};
  std::optional<Dhcp6Answer> lease_;
  IpBytes held_;  ///< the interface has it by a lease
};

/// Which family the conductor's address is of: 4, 6, or 0 where it has a name.
int needed_family(const Settings& settings) {
  const Result<Url> url = parse_url(settings.api_urls.empty() ? "" : settings.api_urls.front());
  const std::size_t size = url ? ip_bytes(url->host).size() : 0;
  return size == 4 ? 4 : size == 16 ? 6 : 0;
}

/// Until the conductor can be reached, or nobody is left who might answer; then a little for the other interfaces.
void wait_for_addresses(NetworkProgress& progress, int family) {
  std::unique_lock lock(progress.lock);
  const auto all = [&progress](int which) { return (which == 6 ? progress.asking6 : progress.asking4) == 0; };
  progress.changed.wait(lock, [&] {
    const bool up = (family != 6 && progress.up4) || (family != 4 && progress.up6);
    return up || (all(4) && all(6));
  });
  // Who needs a name server should not miss one that comes by IPv4 because a router was faster.
  progress.changed.wait_for(lock, k_others, [&] {
    if (family != 0) return all(family);
    return all(4) && (progress.up4 || all(6));
  });
}

void take_static(const NetworkWish& wish, NetworkProgress& progress, Clock& clock, Console& console) {
  for (const InterfaceWish& one : wish.interfaces) {
    name_machine(one.hostname, console);
    if (one.address.empty()) continue;
    if (one.address.size() == 16) {
      (void)wait_for_global_address(one.name, Deadline::after(k_carrier, clock), clock);
    }
    console.say(
        cat(one.name, " has the address ", ip_text(one.address), "/", one.prefix, " from the kernel command line"));
    const std::lock_guard lock(progress.lock);
    (one.address.size() == 4 ? progress.up4 : progress.up6) = true;
  }
  const std::lock_guard lock(progress.lock);
  progress.told_servers.clear();
  for (const IpBytes& server : wish.name_servers) progress.told_servers.push_back(ip_text(server));
  progress.peer_dns = wish.peer_dns;
  if (!wish.name_servers.empty()) progress.note_name_servers();
}

bool is_port(const std::string& interface, const std::vector<BondWish>& bonds) {
  return std::any_of(bonds.begin(), bonds.end(), [&interface](const BondWish& bond) {
    return std::find(bond.ports.begin(), bond.ports.end(), interface) != bond.ports.end();
  });
}

/// Bonds, and those that are no bond's ports.
std::vector<std::string> unbonded(const std::vector<Nic>& nics, const std::vector<BondWish>& bonds) {
  std::vector<std::string> names;
  for (const BondWish& bond : bonds) names.push_back(bond.name);
  for (const Nic& nic : nics) {
    if (!is_port(nic.name, bonds)) names.push_back(nic.name);
  }
  return names;
}

/// Who gets an address that is for none by name. Of several the first with a link: links come in any order, so all have
/// some time for it.
std::string interface_with_link(const std::vector<std::string>& names, Clock& clock, Console& console) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  RealLinks links;
  for (const std::string& name : names) {
    try {
      links.set_up(name, true);
    } catch (const Error& error) {  // one that is not there, or a driver that misses its firmware
      console.say(error.what());
    }
  }
  std::vector<std::string> linked;
  for (const Deadline deadline = Deadline::after(k_carrier, clock); !deadline.passed(clock.now());) {
    linked = names;
    std::erase_if(linked, [](const std::string& name) { return !has_carrier(name); });
    if (linked.size() == names.size()) break;
    clock.sleep(std::chrono::milliseconds(50));
  }
  const std::string& chosen = linked.empty() ? names.front() : linked.front();
  console.say(cat("the address that ip= gives to no interface by name is for ", chosen, ", of ", names.size(), " the ",
                  linked.size() == 1 ? "only" : "first", " one", linked.empty() ? "" : " with a link"));
  return chosen;
}

void load_modules(const NetworkWish& wish, ModuleLoader& modules, Console& console) {
  const auto load = [&](const char* module, const char* word) {
    if (!modules.load(module)) console.say(cat(word, "= needs the kernel module ", module, ", which can't be loaded"));
  };
  if (!wish.bonds.empty()) load("bonding", "bond");
  if (!wish.vlans.empty()) load("8021q", "vlan");
}

}  // namespace

bool gives_addresses(const NetworkWish& wish) {
  return std::any_of(wish.interfaces.begin(), wish.interfaces.end(),
                     [](const InterfaceWish& one) { return !one.address.empty() || one.asks4() || one.asks6(); });
}

std::string server_text(const IpBytes& address, const std::string& interface) {
  return is_of_link(address) ? cat(ip_text(address), "%", interface) : ip_text(address);
}

std::string resolv_conf(const std::string& domain, const std::vector<std::string>& servers) {
  std::string text;
  if (!servers.empty() && !domain.empty()) text += cat("search ", domain, "\n");
  for (const std::string& server : servers) text += cat("nameserver ", server, "\n");
  return text;
}

std::vector<Nic> nics_to_configure(const std::vector<Nic>& nics, const Settings& settings) {
  std::vector<Nic> chosen;
  for (const Nic& nic : nics) {
    const bool by_name = !settings.interface.empty() && nic.name == settings.interface;
    const bool by_mac = settings.interface.empty() && !settings.boot_mac.empty() && nic.mac == settings.boot_mac;
    if (by_name || by_mac) chosen.push_back(nic);
  }
  return chosen.empty() ? nics : chosen;
}

std::vector<InterfaceWish> interfaces_to_ask(const std::vector<Nic>& nics, const Settings& settings,
                                             const NetworkWish& wish) {
  std::vector<InterfaceWish> asked;
  const bool said = gives_addresses(wish);
  InterfaceWish general{.method = said ? Method::none : Method::automatic};
  for (const InterfaceWish& one : wish.interfaces) {
    if (!said) break;
    if (!one.name.empty()) asked.push_back(one);
    if (one.name.empty() && one.address.empty()) general = one;
  }
  std::vector<std::string> others;
  for (const BondWish& bond : wish.bonds) others.push_back(bond.name);
  for (const VlanWish& vlan : wish.vlans) others.push_back(vlan.name);
  for (const Nic& nic : nics_to_configure(nics, settings)) others.push_back(nic.name);
  for (const std::string& name : others) {
    const auto is_same = [&name](const InterfaceWish& one) { return one.name == name; };
    if (is_port(name, wish.bonds)) continue;
    if (std::any_of(asked.begin(), asked.end(), is_same)) continue;
    asked.push_back(general);
    asked.back().name = name;
  }
  std::erase_if(asked, [](const InterfaceWish& one) { return !one.asks4() && !one.asks6(); });
  return asked;
}

Network::Network(Clock& clock, Console& console)
    : clock_(clock), console_(console), progress_(std::make_shared<NetworkProgress>()) {}

void Network::ask(const InterfaceWish& wish) {
  RealLinks links;
  const Nic nic{.name = wish.name, .mac = links.mac_of(wish.name)};
  try {
    links.set_up(nic.name, true);
  } catch (const Error& error) {  // a driver that misses its firmware, say: the others go on
    console_.say(error.what());
    return;
  }
  if (wish.asks4()) {
    progress_->begin(running_name(nic.name, 4), progress_->asking4,
                     [one = std::make_shared<Interface>(nic, progress_, console_)] { one->run(); });
  }
  if (wish.asks6()) {
    progress_->begin(running_name(nic.name, 6), progress_->asking6,
                     [one = std::make_shared<Interface6>(nic, wish.method, progress_, console_)] { one->run(); });
  }
}

bool Network::start(const NetworkWish& wish, const Settings& settings, ModuleLoader& modules) {
  RealLinks links;
  links.set_up("lo", true);
  for (const std::string& problem : wish.problems) console_.say(problem);
  load_modules(wish, modules, console_);
  const auto nics = [] { return find_nics(RealFileSystem(), read_link); };
  const auto boot_interface = [&] {
    return interface_with_link(unbonded(nics_to_configure(nics(), settings), wish.bonds), clock_, console_);
  };
  const NetworkWish made =
      apply_wish(wish, boot_interface, links, [this](const std::string& text) { console_.say(text); });
  take_static(made, *progress_, clock_, console_);
  if (!wish.interfaces.empty() && !gives_addresses(made)) {
    console_.say("what the kernel command line says leaves no interface with an address: all ask for one");
  }
  for (const InterfaceWish& one : interfaces_to_ask(nics(), settings, made)) ask(one);
  wait_for_addresses(*progress_, needed_family(settings));
  std::unique_lock lock(progress_->lock);
  if (!progress_->up4 && !progress_->up6) return false;
  std::vector<std::string> servers = progress_->time_servers;
  lock.unlock();
  if (!settings.time_server.empty()) servers.insert(servers.begin(), settings.time_server);
  set_clock(servers, clock_, console_);
  return true;
}

}  // namespace hearth::agent::deploy
