#include "bootstrap/seed/seed_control.hpp"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/client/terminal.hpp"
#include "bootstrap/power/qmp.hpp"

namespace hearth::bootstrap {

namespace {

void run_words(CommandRunner& runner, const std::vector<std::string>& argv) {
  Command command;
  command.argv = argv;
  run_checked(runner, command);
}

// Asked of the kernel: /sys may show another network namespace.
bool link_exists(const std::string& name) { return ::if_nametoindex(name.c_str()) != 0; }

bool is_bridge(const std::string& name) {
  const Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  ifreq request{};
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&info);
  return fd && ::ioctl(fd.get(), SIOCETHTOOL, &request) == 0 && std::string_view(info.driver) == "bridge";
}

void need_bridge(const std::string& bridge) {
  if (is_bridge(bridge)) return;
  throw Error(ErrorKind::not_found,
              cat(link_exists(bridge) ? "no bridge, but an ordinary interface: " : "there is no bridge ", bridge))
      .hint(cat("The seed needs a bridge into the provisioning network: ip link add ", bridge,
                " type bridge; ip link set ", bridge, " up; ip link set INTERFACE master ", bridge));
}

}  // namespace

std::string seed_tap(const SeedCards& cards) {
  std::string digits = replace_all(cards.provisioning, ":", "");
  return cat("hseed-", digits.substr(digits.size() - 6));
}

std::vector<std::string> seed_lines(std::string_view text) {
  std::vector<std::string> found;
  int more = 0;
  for (const std::string& raw : split_lines(text)) {
    std::string line;
    for (const char c : raw) {
      if (c >= ' ' && c <= '~') line += c;
    }
    const std::size_t at = line.find("hearth-seed: ");
    if (at != std::string::npos) {
      found.push_back(line.substr(at));
      more = line.ends_with(" ended:") ? 5 : 0;  // its last words follow
    } else if (more > 0 && !trim(line).empty()) {
      found.push_back(cat("  ", trim(line)));
      --more;
    }
  }
  return found;
}

bool SeedControl::is_up() const {
  return qmp(home_ / "qmp", "query-status", Json(), std::chrono::seconds(5), clock_).has_value();
}

void SeedControl::start(SeedMachine machine, const std::string& bridge) {
  if (is_up()) throw Error(ErrorKind::input, "the seed is up already").hint("hearth seed status tells how it is");
  need_bridge(bridge);
  machine.tap = seed_tap(machine.cards);
  try {
    if (!link_exists(machine.tap)) run_words(runner_, {"ip", "tuntap", "add", "dev", machine.tap, "mode", "tap"});
    run_words(runner_, {"ip", "link", "set", machine.tap, "master", bridge, "up"});
  } catch (Error& error) {
    throw error.during(cat("connecting the seed to ", bridge))
        .hint("making a tap needs CAP_NET_ADMIN: run this as root, or make the tap for your user: ip tuntap add dev " +
              machine.tap + " mode tap user $USER");
  }
  fs::remove(home_ / "console.log");
  run_words(runner_, seed_command(machine));
}

std::string SeedControl::console_since(std::uint64_t offset) const {
  const std::string text = RealFileSystem().read(home_ / "console.log").value_or("");
  return text.size() > offset ? text.substr(offset) : "";
}

void SeedControl::wait_until_ready(const Deadline& deadline, const std::function<void(const std::string&)>& tell) {
  std::size_t told = 0;
  while (true) {
    const std::vector<std::string> lines = seed_lines(console_since(0));
    for (; told < lines.size(); ++told) {
      if (lines[told] == "hearth-seed: ready") return;
      tell(lines[told]);
    }
    if (!is_up())
      throw Error(ErrorKind::external, "the seed's machine has ended")
          .hint(cat("see ", (home_ / "console.log").string()));
    if (deadline.passed(clock_.now())) {
      throw Error(ErrorKind::external, "the seed's services do not answer in time")
          .hint(cat("see ", (home_ / "console.log").string(),
                    "; a longer --timeout of hearth seed up, or --seed-timeout of hearth rehearse, waits on"));
    }
    clock_.sleep(std::chrono::milliseconds(500));
  }
}

bool SeedControl::stop(Duration patience, const std::string& tap) {
  if (!is_up()) return false;
  const Deadline deadline = Deadline::after(patience, clock_);
  if (patience > Duration::zero())
    static_cast<void>(qmp(home_ / "qmp", "system_powerdown", Json(), std::chrono::seconds(5), clock_));
  while (is_up()) {
    if (deadline.passed(clock_.now())) {
      static_cast<void>(qmp(home_ / "qmp", "quit", Json(), std::chrono::seconds(5), clock_));
    }
    clock_.sleep(std::chrono::milliseconds(300));
  }
  // One that was made for this user beforehand stays where he may not remove it.
  Command command;
  command.argv = {"ip", "link", "delete", "dev", tap};
  command.err = Output::discard;
  static_cast<void>(runner_.run(command));
  return true;
}

void SeedControl::console() {
  const Fd machine = connected_socket(home_ / "console", "hearth seed up starts the seed");
  join_terminal(machine);
}

}  // namespace hearth::bootstrap
