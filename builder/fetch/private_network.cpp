#include "builder/fetch/private_network.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/net/look_up.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/fetch/local_relay.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr const char* k_slirp = "slirp4netns";
constexpr const char* k_unshare = "unshare";
constexpr const char* k_tunnel_device = "/dev/net/tun";
constexpr const char* k_variable = "HEARTH_NETWORK";
constexpr const char* k_network = "198.18.171.0/24";  // of RFC 2544's, which no site routes
constexpr int k_local_backlog = 64;
constexpr int k_start_ms = 20000;

/// inner_address.hpp, as networks.
constexpr std::array<std::pair<const char*, const char*>, 4> k_inner_networks = {
    {{"169.254.0.0", "255.255.0.0"},
     {"100.100.100.200", "255.255.255.255"},
     {"168.63.129.16", "255.255.255.255"},
     {"192.0.0.192", "255.255.255.255"}}};

sockaddr_in address_4(const std::string& digits) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (::inet_pton(AF_INET, digits.c_str(), &address.sin_addr) != 1)
    throw Error(ErrorKind::input, cat(digits, " is no address"));
  return address;
}

template <typename Field>
void put_address(Field& field, const sockaddr_in& address) {
  static_assert(sizeof field == sizeof address);
  std::memcpy(&field, &address, sizeof address);
}

/// Nobody is there, and nobody is asked.
void refuse_network(const Fd& control, const char* network, const char* mask) {
  rtentry route{};
  put_address(route.rt_dst, address_4(network));
  put_address(route.rt_genmask, address_4(mask));
  route.rt_flags = RTF_UP | RTF_REJECT;
  if (::ioctl(control.get(), SIOCADDRT, &route) != 0) throw Error::from_errno("refusing", network);
}

/// A neighbour's address becomes one of the own loopback's, where only what is relayed listens.
void take_address(const Fd& control, const std::string& address, std::size_t number) {
  ifreq request{};
  std::strncpy(request.ifr_name, cat("lo:", number).c_str(), IFNAMSIZ - 1);
  put_address(request.ifr_addr, address_4(address));
  if (::ioctl(control.get(), SIOCSIFADDR, &request) != 0) throw Error::from_errno("taking the address", address);
  put_address(request.ifr_netmask, address_4("255.255.255.255"));
  if (::ioctl(control.get(), SIOCSIFNETMASK, &request) != 0) throw Error::from_errno("taking the address", address);
}

/// Empty where this machine lacks the place's kind of addresses.
Fd open_place(const LocalPlace& place, const Clock& clock) {
  const SocketAddress address = look_up(place.address, place.port, Deadline::never(), clock).front();
  Fd socket(::socket(address.storage.ss_family, (place.datagrams ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0));
  if (!socket || ::bind(socket.get(), address.get(), address.length) != 0) return {};
  if (!place.datagrams && ::listen(socket.get(), k_local_backlog) != 0) return {};
  return socket;
}

/// Whether this machine has a way out by IPv6 (proc_net(5): destination, its prefix …).
bool has_ipv6_way() {
  const std::string nowhere(32, '0');
  for (const std::string& line : split_lines(RealFileSystem().read("/proc/net/ipv6_route").value_or(""))) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() >= 10 && words[0] == nowhere && words[1] == "00" && words[9] != "lo") return true;
  }
  return false;
}

/// A descriptor of ours as a path for another process.
std::string path_for_others(const Fd& descriptor) { return cat("/proc/", ::getpid(), "/fd/", descriptor.get()); }

/// Waits for slirp4netns' word that all is ready.
void wait_for_ready(const Fd& ready, const Fd& said) {
  pollfd waited{ready.get(), POLLIN, 0};
  while (::poll(&waited, 1, k_start_ms) < 0 && errno == EINTR) {
  }
  char word = 0;
  if (waited.revents != 0 && ::read(ready.get(), &word, 1) == 1) return;
  std::array<char, 4096> text{};
  const ssize_t size = ::read(said.get(), text.data(), text.size());
  throw Error(ErrorKind::external, cat("the hooks' network could not be connected: slirp4netns said:\n",
                                       std::string_view(text.data(), size < 0 ? 0 : static_cast<std::size_t>(size))))
      .hint("HEARTH_NETWORK=host gives hooks this machine's network as it is.");
}

std::string why_impossible(const Environment& environment) {
  if (!find_program(k_slirp, environment)) return "slirp4netns is not installed";
  if (::access(k_tunnel_device, R_OK | W_OK) != 0) return cat(k_tunnel_device, " can't be used here");
  // What it does as root, it does in mounts of its own; root of a container may have none.
  if (::geteuid() == 0 && ::prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN) == 0) return "root has no CAP_SYS_ADMIN here";
  return "";
}

}  // namespace

std::string why_no_private_network(const Environment& environment) {
  const auto found = environment.find(k_variable);
  const std::string word = found == environment.end() ? "" : found->second;
  if (word == "host") return "HEARTH_NETWORK says so";
  if (!word.empty() && word != "private")
    throw Error(ErrorKind::usage, cat(k_variable, ": '", word, "' is neither private nor host"));
  std::string why = why_impossible(environment);
  if (word == "private" && !why.empty())
    throw Error(ErrorKind::unsupported, cat("hooks can't have a network of their own: ", why));
  return why;
}

PrivateNetwork::PrivateNetwork(const Environment& environment, std::set<LocalPlace> places)
    : waits_at_once_(::geteuid() != 0),
      program_(find_program(k_slirp, environment).value_or(k_slirp)),
      unshare_(find_program(k_unshare, environment).value_or(k_unshare)),
      places_(std::move(places)) {}

PrivateNetwork::~PrivateNetwork() {
  if (relay_ <= 0) return;
  ::kill(relay_, SIGKILL);
  while (::waitpid(relay_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void PrivateNetwork::enter() {
  handover_.taker = Fd();
  life_line_ = {};
  const SystemClock clock;
  if (::unshare(CLONE_NEWNET) != 0) throw Error::from_errno("making", "a network namespace");
  bring_up_loopback();
  const Fd control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  for (const auto& [network, mask] : k_inner_networks) refuse_network(control, network, mask);
  for (const char* name : {"user", "net"}) {
    give_descriptor(handover_.giver, Fd::open(cat("/proc/self/ns/", name), O_RDONLY | O_CLOEXEC));
  }
  std::set<std::string> taken;
  for (const LocalPlace& place : places_) {
    const bool is_neighbour = !place.address.starts_with("127.") && place.address.find(':') == std::string::npos;
    if (is_neighbour && taken.insert(place.address).second) take_address(control, place.address, taken.size());
    if (const Fd socket = open_place(place, clock)) give_descriptor(handover_.giver, socket);
  }
  ::shutdown(handover_.giver.get(), SHUT_WR);
  if (waits_at_once_) wait_until_connected();
}

void PrivateNetwork::connect(pid_t sandbox) {
  handover_.giver = Fd();
  const Fd user = take_descriptor(handover_.taker);
  const Fd network = take_descriptor(handover_.taker);
  if (!network) return;
  std::vector<Fd> sockets;
  while (Fd socket = take_descriptor(handover_.taker)) sockets.push_back(std::move(socket));

  Pipe ready = Pipe::create();
  Pipe said = Pipe::create();
  // Nobody reads it later: what is too much is dropped. And nobody waits for words that don't come.
  for (const Fd* end : {&said.read, &said.write}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  std::vector<std::string> argv = {program_.string(),
                                   "--configure",
                                   "--mtu=65520",
                                   "--disable-host-loopback",
                                   "--disable-dns",
                                   "--enable-sandbox",
                                   "--enable-seccomp",
                                   cat("--cidr=", k_network),
                                   "--exit-fd=0",
                                   "--ready-fd=3",
                                   cat("--userns-path=", path_for_others(user))};
  // Started by root, it lets go of the host's root while that still shares its mounts, and with it every network
  // namespace that `ip netns` named: in mounts of its own first. An ordinary user's are cut off by his user namespace.
  if (::geteuid() == 0) argv.insert(argv.begin(), {unshare_.string(), "--mount", "--propagation=private", "--"});
  if (has_ipv6_way()) argv.emplace_back("--enable-ipv6");
  if (!waits_at_once_) argv.emplace_back("--netns-type=path");
  argv.insert(argv.end(), {waits_at_once_ ? std::to_string(sandbox) : path_for_others(network), "net0"});
  slirp_.emplace(Child::spawn({.argv = std::move(argv),
                               .env = Environment{},
                               .in = life_line_.read.get(),
                               .out = said.write.get(),
                               .err = said.write.get(),
                               .extra = ready.write.get()}));
  life_line_.read = Fd();
  ready.write = Fd();
  said.write = Fd();
  said_ = std::move(said.read);
  if (!sockets.empty()) {
    relay_ = start_companion([&] {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      life_line_ = {};
      relay_forever(sockets);
      return 1;
    });
  }
  wait_for_ready(ready.read, said_);
  (void)::send(handover_.taker.get(), "g", 1, MSG_NOSIGNAL);  // the sandbox may have died
}

void PrivateNetwork::wait_until_connected() {
  if (!handover_.giver) return;
  char go = 0;
  ssize_t got = 0;
  do {
    got = ::read(handover_.giver.get(), &go, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) throw Error(ErrorKind::external, "the hooks' network could not be connected");
  handover_ = {};
}

}  // namespace hearth::builder::fetch
