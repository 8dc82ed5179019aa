// `hearth node console`: a machine's serial console in this terminal.
#include <unistd.h>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/client/terminal.hpp"
#include "bootstrap/client/wait_lines.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

fs::path place_in(const Json& state) {
  constexpr std::string_view k_scheme = "unix://";
  const std::string url = text_in(member_or_null(state, "console_info"), "url");
  if (!url.starts_with(k_scheme))
    throw Error(ErrorKind::input,
                cat("the conductor has the console at '", url, "', which is no socket of this machine"));
  return url.substr(k_scheme.size());
}

/// Consoles are switched on where the BMC speaks IPMI.
Error is_off(const std::string& id, const std::string& driver) {
  if (driver == "ipmi") {
    return Error(ErrorKind::input, cat("the console of node ", id, " is off"))
        .hint(cat("switch it on: hearth node set ", id,
                  " --console-interface ipmitool-socat, then hearth node console ", id, " --enable"));
  }
  return Error(ErrorKind::unsupported, cat("the driver ", driver, " of node ", id, " has no serial console"))
      .hint(cat("Consoles are IPMI's serial over LAN. Many Redfish BMCs speak IPMI, too: hearth node set ", id,
                " --driver ipmi --driver-info ipmi_address=ADDRESS --driver-info ipmi_username=USER --driver-info "
                "ipmi_password=PASSWORD; else open the console in the BMC's own page"));
}

/// Waits until there is a session with its BMC, for some seconds; why there is none, or empty. The same for a conductor
/// that does not tell of them.
std::string session_fault(ConductorClient& conductor, const std::string& id, int seconds) {
  constexpr int k_looks_a_second = 5;
  const SystemClock clock;
  WaitLines lines(clock, cli::tell, std::chrono::seconds(1));
  for (int looks = 0; looks < seconds * k_looks_a_second; ++looks) {
    const Json info = member_or_null(conductor.call("GET", node_target(id, "/states/console")), "console_info");
    if (const std::string fault = text_in(info, "fault"); !fault.empty()) return fault;
    if (member_or_null(info, "is_up") != false) return "";
    lines.look(cat("a session with the BMC of node ", id));
    conductor.wait(std::chrono::milliseconds(1000 / k_looks_a_second));
  }
  return "";
}

std::string no_session(const std::string& id, const std::string& fault) {
  return cat("the console of node ", id, " is on, but has no session with its BMC: ", fault);
}

std::string next_steps(const std::string& id) {
  return cat("its conductor tries again by itself, less and less often; what else is known of its BMC: hearth why ", id,
             "; it is given up by: hearth node console ", id, " --disable");
}

int switch_console(ConductorClient& conductor, const std::string& id, bool on) {
  constexpr int k_patience = 10;  // seconds
  conductor.call("PUT", node_target(id, "/states/console"), {{"enabled", on}});
  const std::string fault = on && conductor.lasts() ? session_fault(conductor, id, k_patience) : "";
  if (!fault.empty()) throw Error(ErrorKind::external, no_session(id, fault)).hint(next_steps(id));
  cli::print(cat("The console of node ", id, on ? " is on: hearth node console " : " is off", on ? id : "", "\n"));
  return 0;
}

int console(const cli::Arguments& arguments) {
  const std::string id = arguments.operand(0, "node");
  const bool enable = arguments.has("enable");
  if (enable && arguments.has("disable")) throw Error(ErrorKind::usage, "--enable and --disable exclude each other");
  const auto conductor = ConductorClient::open(arguments);
  const std::string target = node_target(id, "/states/console");
  if (enable || arguments.has("disable")) return switch_console(*conductor, id, enable);
  const Json state = conductor->call("GET", target);
  if (member_or_null(state, "console_enabled") != true)
    throw is_off(id, text_in(conductor->call("GET", node_target(id)), "driver"));
  if (!conductor->lasts())
    throw Error(ErrorKind::unsupported, "no conductor runs that would hold the console")
        .hint("start one: hearth node serve");
  constexpr int k_patience = 60;  // seconds: ipmitool asks a BMC that is silent several times
  const std::string fault = session_fault(*conductor, id, k_patience);
  const bool is_person = ::isatty(STDIN_FILENO) == 1;  // who may look on until it comes, at what was said before
  if (!fault.empty() && !is_person) throw Error(ErrorKind::external, no_session(id, fault)).hint(next_steps(id));
  if (!fault.empty()) cli::tell(cat(no_session(id, fault), "\n  ", next_steps(id), "\n"));
  const Fd machine =
      connected_socket(place_in(state), "Its conductor opens it, on its own machine, moments after it is switched on.");
  cli::tell(cat("the console of node ", id, "; Ctrl-] leaves it\n"));
  join_terminal(machine);
  return 0;
}

}  // namespace

cli::Command console_command() {
  return {
      "node console",
      "NODE",
      "look at a machine's serial console, and type to it; Ctrl-] leaves it",
      "By IPMI's serial over LAN (ipmitool), of nodes with the driver ipmi and the console_interface ipmitool-socat. "
      "Once it is switched on the conductor holds it, at DIR/consoles/UUID: root and the conductor's user reach it "
      "there; over a network who may operate does, in the status page. Where its BMC gives no session it says why.",
      with_client({{"enable", 0, "", "switch it on, and keep it on"}, {"disable", 0, "", "switch it off"}}),
      console};
}

}  // namespace hearth::bootstrap
