#include "agent/deploy/init/network.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "agent/deploy/init/clock_setting.hpp"
#include "agent/deploy/init/dhcp_client.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr Duration k_carrier = std::chrono::seconds(10);
constexpr Duration k_patience = std::chrono::seconds(60);
constexpr Duration k_others = std::chrono::seconds(5);  ///< more for the other interfaces once one has its address

bool has_carrier(const std::string& interface) {
  try {
    return trim(RealFileSystem().read(cat("/sys/class/net/", interface, "/carrier")).value_or("")) == "1";
  } catch (const Error&) {
    return false;
  }
}

/// What the threads, one an interface, and their starter share. They never end: they renew their leases.
struct Progress {
  std::mutex lock;
  std::condition_variable changed;
  std::size_t asking = 0;  ///< interfaces that have no answer yet
  std::optional<DhcpAnswer> first;
};

bool wait_for_carrier(const std::string& interface, Clock& clock) {
  const Deadline deadline = Deadline::after(k_carrier, clock);
  while (!has_carrier(interface)) {
    if (deadline.passed(clock.now())) return false;
    clock.sleep(std::chrono::milliseconds(50));
  }
  return true;
}

void take_names(const DhcpAnswer& lease, Console& console) {
  RealFileSystem files;
  files.make_directories("/etc", 0755);
  files.write("/etc/resolv.conf", resolv_conf(lease), {});
  if (!lease.hostname.empty() && ::sethostname(lease.hostname.data(), lease.hostname.size()) != 0) {
    console.say(cat("the name ", lease.hostname, " can't be taken: ", ::strerror(errno)));
  }
}

/// One interface: asks, takes what it gets, and renews it for as long as the ramdisk lives.
class Interface {
 public:
  Interface(const Nic& nic, std::shared_ptr<Progress> progress, Console& console)
      : nic_(nic), progress_(std::move(progress)), console_(console) {}

  void run() {
    try {
      lease_ = first_lease();
      if (lease_) take();
    } catch (const std::exception& error) {
      console_.say(error.what());
      lease_.reset();
    }
    settle();
    if (lease_) keep();
  }

 private:
  std::optional<DhcpAnswer> first_lease() {
    const std::optional<MacAddress> mac = parse_mac(nic_.mac);
    if (!mac || !wait_for_carrier(nic_.name, clock_)) {
      console_.say(cat(nic_.name, " (", nic_.mac, "): no link"));
      return std::nullopt;
    }
    mac_ = *mac;
    std::optional<DhcpAnswer> lease = ask();
    if (!lease) console_.say(cat(nic_.name, " (", nic_.mac, "): no DHCP server answers"));
    return lease;
  }

  std::optional<DhcpAnswer> ask() {
    return ask_for_lease(nic_.name, mac_, Deadline::after(k_patience, clock_), clock_);
  }

  /// The first interface with an address has the default route and names the machine.
  void take() {
    const std::lock_guard lock(progress_->lock);
    is_first_ = is_first_ || !progress_->first;
    apply_lease(nic_.name, *lease_, is_first_);
    if (is_first_) {
      take_names(*lease_, console_);
      progress_->first = lease_;
    }
    console_.say(cat(nic_.name, " (", nic_.mac, ") has the address ", ipv4_text(lease_->address), " from ",
                     ipv4_text(lease_->server)));
  }

  void settle() {
    const std::lock_guard lock(progress_->lock);
    --progress_->asking;
    progress_->changed.notify_all();
  }

  [[noreturn]] void keep() {
    MonotonicTime until = clock_.now() + std::chrono::seconds(lease_->lease_seconds);
    while (true) {
      const bool for_ever = lease_->lease_seconds == 0 || lease_->lease_seconds == 0xffffffff;
      clock_.sleep(for_ever ? std::chrono::hours(24) : std::chrono::seconds(std::max(lease_->lease_seconds / 2, 30U)));
      if (for_ever) continue;
      try {
        const std::optional<DhcpAnswer> next = clock_.now() < until ? renewed() : ask();
        if (!next) continue;
        const bool other = next->address != lease_->address || next->routes != lease_->routes;
        lease_ = next;
        until = clock_.now() + std::chrono::seconds(lease_->lease_seconds);
        if (other) take();
      } catch (const Error&) {  // the next time
      }
    }
  }

  std::optional<DhcpAnswer> renewed() {
    return renew_lease(nic_.name, mac_, *lease_, Deadline::after(std::chrono::seconds(20), clock_), clock_);
  }

  Nic nic_;
  std::shared_ptr<Progress> progress_;
  Console& console_;
  SystemClock clock_;
  MacAddress mac_{};
  std::optional<DhcpAnswer> lease_;
  bool is_first_ = false;
};

std::vector<std::string> time_servers(const Settings& settings, const DhcpAnswer& lease) {
  std::vector<std::string> servers;
  if (!settings.time_server.empty()) servers.push_back(settings.time_server);
  for (const Ipv4 server : lease.time_servers) servers.push_back(ipv4_text(server));
  return servers;
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
  const auto progress = std::make_shared<Progress>();
  progress->asking = chosen.size();
  for (const Nic& nic : chosen) {
    bring_up(nic.name);
    std::thread([interface = std::make_shared<Interface>(nic, progress, console)] { interface->run(); }).detach();
  }
  std::unique_lock lock(progress->lock);
  const auto all = [&progress] { return progress->asking == 0; };
  progress->changed.wait(lock, [&] { return progress->first || all(); });
  progress->changed.wait_for(lock, k_others, all);
  if (!progress->first) return false;
  const std::vector<std::string> servers = time_servers(settings, *progress->first);
  lock.unlock();
  set_clock(servers, clock, console);
  return true;
}

}  // namespace hearth::agent::deploy
