#include "bootstrap/power/libvirt_driver.hpp"

#include "base/pattern.hpp"
#include "base/text.hpp"
#include "bootstrap/power/driver_keys.hpp"
#include "bootstrap/power/program.hpp"

namespace hearth::bootstrap {

namespace {

using Reason = PowerFault::Reason;

PowerFault::Reason reason_of(const std::string& text) {
  if (text.find("uthentication") != std::string::npos || text.find("ermission denied") != std::string::npos)
    return Reason::refused;
  if (text.find("failed to connect") != std::string::npos || text.find("Cannot recv data") != std::string::npos)
    return Reason::unreachable;
  return Reason::failed;
}

}  // namespace

std::string with_boot_device(const std::string& xml, const std::string& device) {
  static const Pattern boot_device("\\s*<boot (dev|order)=['\"][^'\"]*['\"][^>]*/>");
  const std::string plain = boot_device.without(xml);
  const std::size_t end = plain.find("</os>");
  if (end == std::string::npos) throw Error(ErrorKind::external, "the domain's description has no <os>");
  const std::string second = device == "hd" ? "network" : "hd";
  return cat(plain.substr(0, end), "<boot dev='", device, "'/><boot dev='", second, "'/>", plain.substr(end));
}

std::vector<std::string> LibvirtDriver::missing(const Node& node) const {
  std::vector<std::string> missing = driver_key_faults(node, "libvirt");
  if (driver_setting(node, "libvirt_domain").empty() && node.ports.empty())
    missing.emplace_back("libvirt_domain is missing, and there is no MAC address to find it by.");
  return missing;
}

std::string LibvirtDriver::virsh(const Node& node, const std::vector<std::string>& words, const std::string& input) {
  Command command;
  command.argv = {"virsh", "-q", "-c", driver_setting(node, "libvirt_uri")};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  if (!input.empty()) command.input = input;
  Environment env = current_environment();
  env["LC_ALL"] = "C";
  command.env = env;
  const ProgramUse use{.what = cat("libvirt ", driver_setting(node, "libvirt_uri"), ": ", words.front()),
                       .package = "libvirt-clients",
                       .reason = [](const CommandResult& result) { return reason_of(result.err); },
                       .told = {}};
  return std::string(trim(run_program(runner_, clock_, std::move(command), use)));
}

std::string LibvirtDriver::domain(const Node& node) {
  const std::string given = driver_setting(node, "libvirt_domain");
  if (!given.empty()) return given;
  for (const std::string& uuid : split_words(virsh(node, {"list", "--all", "--uuid"}))) {
    const std::string xml = to_lower(virsh(node, {"dumpxml", uuid}));
    for (const Port& port : node.ports) {
      if (xml.find(port.address) != std::string::npos) return uuid;
    }
  }
  throw PowerFault(Reason::failed,
                   cat("no domain of ", driver_setting(node, "libvirt_uri"), " has a card of node ", node.title()));
}

Power LibvirtDriver::state(const Node& node) {
  const std::string state = virsh(node, {"domstate", domain(node)});
  return state == "running" || state == "paused" || state == "in shutdown" ? Power::on : Power::off;
}

void LibvirtDriver::set(const Node& node, PowerAction action) {
  const std::string name = domain(node);
  const bool off = action == PowerAction::off || action == PowerAction::soft_off;
  const Power before = state(node);
  if (action == PowerAction::on && before == Power::on) return;
  if (before == Power::on) {
    virsh(node, {is_soft(action) ? "shutdown" : "destroy", name});
    if (is_soft(action)) return;
    const Deadline deadline = Deadline::after(std::chrono::seconds(60), clock_);
    while (state(node) == Power::on) {
      if (deadline.passed(clock_.now())) throw PowerFault(Reason::failed, cat("domain ", name, " does not go off"));
      clock_.sleep(std::chrono::milliseconds(500));
    }
  }
  if (!off) virsh(node, {"start", name});
}

void LibvirtDriver::set_boot_device(const Node& node, const std::string& device, bool) {
  const std::string name = device == "pxe" ? "network" : device == "disk" ? "hd" : device == "cdrom" ? "cdrom" : "";
  if (name.empty()) throw PowerFault(Reason::failed, cat("libvirt has no boot device ", device));
  virsh(node, {"define", "/dev/stdin"}, with_boot_device(virsh(node, {"dumpxml", "--inactive", domain(node)}), name));
}

}  // namespace hearth::bootstrap
