// `hearth node console`: a machine's serial console in this terminal.
#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/client/terminal.hpp"
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
      .hint(
          "Consoles are IPMI's serial over LAN. Many Redfish BMCs speak IPMI, too: hearth node set NODE --driver ipmi, "
          "with its keys (hearth node drivers ipmi); else open the console in the BMC's own page");
}

int console(const cli::Arguments& arguments) {
  const std::string id = arguments.operand(0, "node");
  const bool enable = arguments.has("enable");
  if (enable && arguments.has("disable")) throw Error(ErrorKind::usage, "--enable and --disable exclude each other");
  const auto conductor = ConductorClient::open(arguments);
  const std::string target = node_target(id, "/states/console");
  if (enable || arguments.has("disable")) {
    conductor->call("PUT", target, {{"enabled", enable}});
    cli::print(
        cat("The console of node ", id, enable ? " is on: hearth node console " : " is off", enable ? id : "", "\n"));
    return 0;
  }
  const Json state = conductor->call("GET", target);
  if (member_or_null(state, "console_enabled") != true)
    throw is_off(id, text_in(conductor->call("GET", node_target(id)), "driver"));
  if (!conductor->lasts())
    throw Error(ErrorKind::unsupported, "no conductor runs that would hold the console")
        .hint("start one: hearth node serve");
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
      "there; over a network who may operate does, in the status page.",
      with_client({{"enable", 0, "", "switch it on, and keep it on"}, {"disable", 0, "", "switch it off"}}),
      console};
}

}  // namespace hearth::bootstrap
