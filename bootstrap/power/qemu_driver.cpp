#include "bootstrap/power/qemu_driver.hpp"

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/power/driver_keys.hpp"
#include "bootstrap/power/headless_machine.hpp"
#include "bootstrap/power/program.hpp"
#include "bootstrap/power/qmp.hpp"

namespace hearth::bootstrap {

namespace {

using Reason = PowerFault::Reason;

constexpr const char* k_vars = "/usr/share/OVMF/OVMF_VARS_4M.fd";

std::string firmware_of(const Node& node) {
  const std::string given = driver_setting(node, "qemu_firmware");
  return !given.empty() ? given : node.boots_uefi() ? "uefi" : "bios";
}

bool is_uefi(const Node& node) { return firmware_of(node) == "uefi"; }

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> found;
  for (const std::string& part : split(text, ',')) {
    if (!trim(part).empty()) found.emplace_back(trim(part));
  }
  return found;
}

void add_disks(const Node& node, bool first, std::vector<std::string>& argv) {
  std::size_t index = 0;
  for (const QemuDisk& disk : qemu_disks(node)) {
    const std::string id = cat("d", index);
    argv.insert(argv.end(),
                {"-drive", cat("file=", qemu_escaped(disk.path), ",if=none,id=", id, ",discard=unmap,cache=unsafe")});
    const std::string given = driver_setting(node, "qemu_serial");
    const std::string serial = given.empty() ? cat("HEARTH-", node.uuid.substr(0, 8), "-", index) : given;
    argv.insert(argv.end(), {"-device", cat("virtio-blk-pci,drive=", id, ",serial=", qemu_escaped(serial),
                                            ",bootindex=", (first ? 0 : 10) + index)});
    ++index;
  }
}

void add_cards(const Node& node, bool first, std::vector<std::string>& argv) {
  const std::vector<std::string> taps = qemu_taps(node);
  for (std::size_t i = 0; i < node.ports.size(); ++i) {
    const std::string id = cat("n", i);
    if (i < taps.size()) {
      argv.insert(argv.end(), {"-netdev", cat("tap,id=", id, ",ifname=", taps[i], ",script=no,downscript=no")});
    } else {
      argv.insert(argv.end(), {"-netdev", cat("user,id=", id, ",restrict=on")});
    }
    std::string device =
        cat("virtio-net-pci,netdev=", id, ",mac=", node.ports[i].address, ",bootindex=", (first ? 0 : 10) + i);
    if (is_uefi(node)) device += ",romfile=";  // the firmware has its own driver
    argv.insert(argv.end(), {"-device", device});
  }
}

}  // namespace

std::vector<QemuDisk> qemu_disks(const Node& node) {
  std::vector<QemuDisk> disks;
  for (const std::string& part : parts(driver_setting(node, "qemu_disk"))) {
    const std::size_t colon = part.rfind(':');
    if (colon == std::string::npos)
      disks.push_back({part, ""});
    else
      disks.push_back({part.substr(0, colon), part.substr(colon + 1)});
  }
  return disks;
}

std::vector<std::string> qemu_taps(const Node& node) {
  if (const std::string given = driver_setting(node, "qemu_tap"); !given.empty()) return parts(given);
  std::vector<std::string> names;
  if (driver_setting(node, "qemu_bridge").empty()) return names;
  for (std::size_t i = 0; i < node.ports.size(); ++i) names.push_back(cat("ht", node.uuid.substr(0, 8), "-", i));
  return names;
}

std::vector<std::string> qemu_command(const Node& node, const fs::path& home, const std::string& boot_device) {
  std::vector<std::string> argv;
  if (const std::string space = driver_setting(node, "qemu_netns"); !space.empty())
    argv = {"ip", "netns", "exec", space};
  const std::vector<std::string> common = headless_command({.name = node.title(),
                                                            .accelerator = driver_setting(node, "qemu_accelerator"),
                                                            .cpus = driver_setting(node, "qemu_cpus"),
                                                            .memory_mib = driver_setting(node, "qemu_memory"),
                                                            .home = home,
                                                            .background = true,
                                                            .open_console = true,
                                                            .uefi = is_uefi(node)});
  argv.insert(argv.end(), common.begin(), common.end());
  argv.insert(argv.end(), {"-uuid", node.uuid, "-cpu", driver_setting(node, "qemu_cpu")});
  const bool network = boot_device == "pxe";
  add_disks(node, !network, argv);
  add_cards(node, network, argv);
  for (const std::string& word : split_words(driver_setting(node, "qemu_options"))) argv.push_back(word);
  return argv;
}

std::vector<std::string> QemuDriver::missing(const Node& node) const {
  std::vector<std::string> missing = driver_key_faults(node, "qemu");
  if (node.ports.empty()) missing.emplace_back("port: a MAC address for its card is missing.");
  return missing;
}

std::optional<Json> QemuDriver::monitor(const Node& node, const std::string& command) {
  try {
    return qmp(home(node) / "qmp", command, Json(), std::chrono::seconds(20), clock_);
  } catch (const Error& error) {
    throw PowerFault(Reason::unreachable, cat("node ", node.title(), ": ", error.what()));
  }
}

Power QemuDriver::state(const Node& node) { return monitor(node, "query-status") ? Power::on : Power::off; }

void QemuDriver::run(const Node& node, std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  const std::string what = cat("node ", node.title(), ": ", command.argv.front());
  run_program(runner_, clock_, std::move(command), {.what = what, .package = {}, .reason = {}, .told = {}});
}

void QemuDriver::make_disks(const Node& node) {
  for (const QemuDisk& disk : qemu_disks(node)) {
    if (!disk.size.empty() && !fs::exists(disk.path))
      run(node, {"qemu-img", "create", "-q", "-f", "qcow2", disk.path, disk.size});
  }
  const fs::path vars = home(node) / "vars.fd";
  if (is_uefi(node) && !fs::exists(vars)) fs::copy_file(k_vars, vars);
}

void QemuDriver::make_taps(const Node& node) {
  const std::string bridge = driver_setting(node, "qemu_bridge");
  if (bridge.empty() || !driver_setting(node, "qemu_tap").empty()) return;
  std::vector<std::string> prefix;
  if (const std::string space = driver_setting(node, "qemu_netns"); !space.empty())
    prefix = {"ip", "netns", "exec", space};
  const auto ip = [&](std::vector<std::string> words) {
    std::vector<std::string> argv = prefix;
    argv.emplace_back("ip");
    argv.insert(argv.end(), words.begin(), words.end());
    run(node, argv);
  };
  for (const std::string& tap : qemu_taps(node)) {
    Command look;
    look.argv = prefix;
    look.argv.insert(look.argv.end(), {"ip", "link", "show", "dev", tap});
    if (!succeeded(runner_.run(look).status)) ip({"tuntap", "add", "dev", tap, "mode", "tap"});
    ip({"link", "set", "dev", tap, "master", bridge});
    ip({"link", "set", "dev", tap, "up"});
  }
}

std::string QemuDriver::next_boot_device(const Node& node) {
  RealFileSystem files;
  const fs::path once = home(node) / "boot-once";
  const std::optional<std::string> next = files.read(once);
  if (next) {
    files.remove(once);
    return std::string(trim(*next));
  }
  return std::string(trim(files.read(home(node) / "boot").value_or("disk")));
}

void QemuDriver::start(const Node& node) {
  RealFileSystem().make_directories(home(node), 0700);
  make_disks(node);
  make_taps(node);
  run(node, qemu_command(node, home(node), next_boot_device(node)));
}

void QemuDriver::stop(const Node& node) {
  monitor(node, "quit");
  const Deadline deadline = Deadline::after(std::chrono::seconds(60), clock_);
  while (state(node) == Power::on) {
    if (deadline.passed(clock_.now())) throw PowerFault(Reason::failed, cat("node ", node.title(), " does not go off"));
    clock_.sleep(std::chrono::milliseconds(100));
  }
}

void QemuDriver::set(const Node& node, PowerAction action) {
  const bool off = action == PowerAction::off || action == PowerAction::soft_off;
  const Power before = state(node);
  if (action == PowerAction::on && before == Power::on) return;
  if (before == Power::on && is_soft(action)) {
    monitor(node, "system_powerdown");
    return;
  }
  if (before == Power::on) stop(node);
  if (!off) start(node);
}

void QemuDriver::set_boot_device(const Node& node, const std::string& device, bool persistent) {
  if (device != "pxe" && device != "disk")
    throw PowerFault(Reason::failed, cat("a machine of QEMU has no boot device ", device));
  RealFileSystem files;
  files.make_directories(home(node), 0700);
  files.remove(home(node) / "boot-once");
  files.write(home(node) / (persistent ? "boot" : "boot-once"), cat(device, "\n"),
              {.mode = 0600, .uid = {}, .gid = {}});
}

}  // namespace hearth::bootstrap
