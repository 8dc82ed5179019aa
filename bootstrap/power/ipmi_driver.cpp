#include "bootstrap/power/ipmi_driver.hpp"

#include "base/hex.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/power/driver_keys.hpp"
#include "bootstrap/power/program.hpp"

namespace hearth::bootstrap {

namespace {

using Reason = PowerFault::Reason;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string ipmi_password(const Node& node) {
  const std::string file = driver_setting(node, "ipmi_password_file");
  return file.empty() ? driver_setting(node, "ipmi_password") : std::string(trim(read_file(file)));
}

/// What ipmitool says whatever happens.
bool is_noise(const std::string& line) {
  for (const char* start : {"Loading IANA", "Running Get", "Discovered ", "Invalid completion code", "Get Auth "}) {
    if (line.rfind(start, 0) == 0) return true;
  }
  return line.empty();
}

std::string reason_text(const CommandResult& result, Reason reason) {
  std::vector<std::string> lines;
  if (reason == Reason::refused) lines.emplace_back("wrong user name or password, or too few rights");
  if (reason == Reason::unreachable) lines.emplace_back("no answer");
  for (const std::string& line : split_lines(result.err.empty() ? result.out : result.err)) {
    if (!is_noise(std::string(trim(line)))) lines.emplace_back(trim(line));
  }
  return lines.empty() ? describe(result.status) : join(lines, "; ");
}

/// The key in the environment, where no list of processes shows it; zeros at its end are those of a shorter one. With a
/// zero within ipmitool takes it from the command line alone.
void add_kg_key(const Node& node, std::vector<std::string>& argv, Environment& env) {
  const std::string hex = driver_setting(node, "ipmi_hex_kg_key");
  if (hex.empty()) return;
  std::string key = from_hex(to_lower(hex));
  while (key.ends_with('\0')) key.pop_back();
  if (key.find('\0') != std::string::npos) {
    argv.insert(argv.end(), {"-y", hex});
  } else if (!key.empty()) {
    argv.emplace_back("-K");
    env["IPMI_KGKEY"] = key;
  }
}

}  // namespace

/// To a machine behind the BMC, or two bridges away from it.
void add_bridges(const Node& node, std::vector<std::string>& argv) {
  const std::string bridging = driver_setting(node, "ipmi_bridging");
  const std::string target = driver_setting(node, "ipmi_target_address");
  if (target.empty() || bridging == "no") return;
  if (const std::string local = driver_setting(node, "ipmi_local_address"); !local.empty())
    argv.insert(argv.end(), {"-m", local});
  const std::string transit = driver_setting(node, "ipmi_transit_address");
  if (!transit.empty() && bridging != "single")
    argv.insert(argv.end(), {"-B", driver_setting(node, "ipmi_transit_channel"), "-T", transit});
  argv.insert(argv.end(), {"-b", driver_setting(node, "ipmi_target_channel"), "-t", target});
}

Command ipmi_command(const Node& node, const std::vector<std::string>& words, const char* suite) {
  Command command;
  const bool old = driver_setting(node, "ipmi_protocol_version") == "1.5";
  command.argv = {"ipmitool",
                  "-I",
                  old ? "lan" : "lanplus",
                  "-H",
                  driver_setting(node, "ipmi_address"),
                  "-p",
                  driver_setting(node, "ipmi_port"),
                  "-L",
                  driver_setting(node, "ipmi_priv_level"),
                  "-N",
                  driver_setting(node, "ipmi_timeout"),
                  "-R",
                  driver_setting(node, "ipmi_retries"),
                  "-v"};  // only so it tells a wrong password from no answer
  const std::string named = driver_setting(node, "ipmi_cipher_suite");
  if (!old) command.argv.insert(command.argv.end(), {"-C", named.empty() ? suite : named});
  const std::string user = driver_setting(node, "ipmi_username");
  if (!user.empty()) command.argv.insert(command.argv.end(), {"-U", user});
  Environment env = current_environment();
  if (!old) add_kg_key(node, command.argv, env);
  add_bridges(node, command.argv);
  command.argv.emplace_back("-E");  // the password is in the environment
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  env["IPMI_PASSWORD"] = ipmi_password(node);
  command.env = env;
  return command;
}

bool lacks_cipher_suite(std::string_view output) {
  for (const char* words : {"no matching cipher suite", "Unsupported cipher suite", "invalid authentication algorithm",
                            "invalid integrity algorithm", "invalid confidentiality algorithm"}) {
    if (output.find(words) != std::string_view::npos) return true;
  }
  return false;
}

PowerFault::Reason ipmi_reason(const std::string& output) {
  for (const char* refused :
       {"RAKP 2 HMAC is invalid", "unauthorized name", "Invalid user name", "password", "insufficient privilege",
        "Insufficient privilege", "RAKP 2 message indicates an error : unauthorized"}) {
    if (has(output, refused)) return Reason::refused;
  }
  for (const char* busy : {"Node busy", "insufficient resources", "Insufficient resources", "0xc0", "0xc3", "0xd5"}) {
    if (has(output, busy)) return Reason::busy;
  }
  for (const char* gone : {"Unable to establish", "Address lookup", "no response", "No response", "timeout", "Timeout",
                           "Connection timed out"}) {
    if (has(output, gone)) return Reason::unreachable;
  }
  return Reason::failed;
}

std::vector<std::string> IpmiDriver::missing(const Node& node) const { return driver_key_faults(node, "ipmi"); }

IpmiDriver::Bmc& IpmiDriver::bmc(const Node& node) {
  const std::lock_guard lock(mutex_);
  auto& own = bmcs_[cat(driver_setting(node, "ipmi_address"), ":", driver_setting(node, "ipmi_port"))];
  if (!own) own = std::make_unique<Bmc>();
  return *own;
}

std::string IpmiDriver::ipmitool(const Node& node, const std::vector<std::string>& words) {
  Bmc& known = bmc(node);
  const std::lock_guard lock(known.mutex);
  const ProgramUse use{.what = cat("BMC ", driver_setting(node, "ipmi_address"), ": ", join(words, " ")),
                       .package = "ipmitool",
                       .reason = [](const CommandResult& result) { return ipmi_reason(result.err + result.out); },
                       .told = reason_text};
  try {
    return run_program(runner_, clock_, ipmi_command(node, words, known.suite), use);
  } catch (const PowerFault& fault) {
    const bool is_named = !driver_setting(node, "ipmi_cipher_suite").empty();
    if (is_named || std::string_view(known.suite) == k_old_ipmi_suite || !lacks_cipher_suite(fault.what())) throw;
  }
  known.suite = k_old_ipmi_suite;
  return run_program(runner_, clock_, ipmi_command(node, words, known.suite), use);
}

Power IpmiDriver::state(const Node& node) {
  const std::string out = ipmitool(node, {"chassis", "power", "status"});
  if (has(out, "is on")) return Power::on;
  if (has(out, "is off")) return Power::off;
  throw PowerFault(Reason::failed,
                   cat("BMC ", driver_setting(node, "ipmi_address"), " does not tell the power: ", trim(out)));
}

void IpmiDriver::wait_until(const Node& node, Power wanted, Duration patience) {
  const Deadline deadline = Deadline::after(patience, clock_);
  while (state(node) != wanted) {
    if (deadline.passed(clock_.now())) {
      throw PowerFault(Reason::failed, cat("BMC ", driver_setting(node, "ipmi_address"),
                                           " said yes, but the machine is still ", wanted == Power::on ? "off" : "on"));
    }
    clock_.sleep(std::chrono::milliseconds(500));
  }
}

void IpmiDriver::set(const Node& node, PowerAction action) {
  const Power before = state(node);
  const bool off = action == PowerAction::off || action == PowerAction::soft_off;
  if ((off && before == Power::off) || (action == PowerAction::on && before == Power::on)) return;
  if (before == Power::on && is_soft(action)) {
    ipmitool(node, {"chassis", "power", "soft"});
    return;
  }
  if (before == Power::on) {
    ipmitool(node, {"chassis", "power", "off"});
    wait_until(node, Power::off, std::chrono::seconds(60));
  }
  if (off) return;
  ipmitool(node, {"chassis", "power", "on"});
  wait_until(node, Power::on, std::chrono::seconds(60));
}

void IpmiDriver::set_boot_device(const Node& node, const std::string& device, bool persistent) {
  static const std::map<std::string, std::string> names = {
      {"pxe", "pxe"}, {"disk", "disk"}, {"cdrom", "cdrom"}, {"bios", "bios"}};
  const auto name = names.find(device);
  if (name == names.end()) throw PowerFault(Reason::failed, cat("IPMI has no boot device ", device));
  if (driver_setting(node, "ipmi_disable_boot_timeout") != "false") {
    try {  // else the wish is forgotten after 60 s; not every BMC knows the command
      ipmitool(node, {"raw", "0x00", "0x08", "0x03", "0x08"});
    } catch (const PowerFault& fault) {
      if (fault.reason() != Reason::failed && fault.reason() != Reason::busy) throw;
    }
  }
  std::vector<std::string> words = {"chassis", "bootdev", name->second};
  std::vector<std::string> options;
  if (persistent) options.emplace_back("persistent");
  if (node.boots_uefi()) options.emplace_back("efiboot");
  if (!options.empty()) words.push_back(cat("options=", join(options, ",")));
  ipmitool(node, words);
}

BootDevice ipmi_boot_device(const std::string& told) {
  static const std::map<std::string, std::string> names = {{"Force PXE", "pxe"},
                                                           {"Force Boot from default Hard-Drive", "disk"},
                                                           {"Force Boot from CD/DVD", "cdrom"},
                                                           {"Force Boot into BIOS Setup", "bios"}};
  for (const auto& [words, device] : names) {
    if (has(told, words)) return {device, has(told, "Options apply to all future boots")};
  }
  return {};
}

std::optional<BootDevice> IpmiDriver::boot_device(const Node& node) {
  return ipmi_boot_device(ipmitool(node, {"chassis", "bootparam", "get", "5"}));
}

void IpmiDriver::inject_nmi(const Node& node) { ipmitool(node, {"chassis", "power", "diag"}); }

}  // namespace hearth::bootstrap
