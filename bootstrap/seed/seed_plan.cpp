#include "bootstrap/seed/seed_plan.hpp"

#include "base/hash.hpp"
#include "base/text.hpp"
#include "bootstrap/power/headless_machine.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_management = "10.0.2.15";  // what QEMU's user network gives to its only guest

std::string prefix_of(const std::string& subnet) { return subnet.substr(subnet.find('/')); }

std::string escaped(const fs::path& path) { return qemu_escaped(path.string()); }

}  // namespace

SeedCards seed_cards(const SiteFile& site) {
  const std::string digest = hex_digest(HashKind::sha256, cat(site.subnet, " ", site.seed_address));
  const std::string middle = cat("52:54:00:", digest.substr(0, 2), ":", digest.substr(2, 2), ":");
  return {cat(middle, "fe"), cat(middle, "ff")};
}

Json seed_metadata(const SiteFile& site, const SeedCards& cards, const std::string& token) {
  const Json management = {{"type", "interface"}, {"name", "nic1"}, {"use_dhcp", true}};
  const Json provisioning = {{"type", "linux_bridge"},
                             {"name", "br-ctlplane"},
                             {"addresses", {{{"ip_netmask", cat(site.seed_address, prefix_of(site.subnet))}}}},
                             {"members", {{{"type", "interface"}, {"name", "nic2"}}}}};
  return {{"os-collect-config", {{"command", "os-refresh-config"}, {"collectors", {"heat_local"}}}},
          {"os_net_config", {{"network_config", {management, provisioning}}}},
          {"hearth-seed",
           {{"address", site.seed_address},
            {"management", k_management},
            {"token", token},
            {"heartbeat_interval", 10},
            {"poll_interval", 2},
            {"nics", {{"nic1", cards.management}, {"nic2", cards.provisioning}}},
            {"site", boot_site(site, "br-ctlplane", "/var/lib/hearth/node")}}}};
}

const std::vector<std::uint16_t>& seed_ports() {
  static const std::vector<std::uint16_t> ports = {6385, 8000, 8004, 8080, 5000};
  return ports;
}

std::uint16_t forwarded_port(const SeedMachine& machine, std::uint16_t port) {
  if (machine.first_port == 0) return port;
  const std::vector<std::uint16_t>& ports = seed_ports();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i] == port) return static_cast<std::uint16_t>(machine.first_port + i);
  }
  return port;
}

std::vector<std::string> seed_command(const SeedMachine& machine) {
  std::string user = "user,id=people";
  for (const std::uint16_t port : seed_ports())
    user += cat(",hostfwd=tcp:127.0.0.1:", forwarded_port(machine, port), "-", k_management, ":", port);
  std::vector<std::string> argv = headless_command({.name = "seed",
                                                    .accelerator = machine.accelerator,
                                                    .cpus = std::to_string(machine.cpus),
                                                    .memory_mib = std::to_string(machine.memory_mib),
                                                    .home = machine.home,
                                                    .background = true,
                                                    .open_console = true});
  argv.insert(argv.end(), {"-drive",
                           cat("file=", escaped(machine.image), ",if=none,id=root,discard=unmap,format=qcow2",
                               machine.disposable ? ",cache=unsafe" : ""),
                           "-device", "virtio-blk-pci,drive=root,serial=hearth-seed,bootindex=0"});
  if (machine.accelerator == "kvm") argv.insert(argv.end(), {"-cpu", "host"});
  if (!machine.images.empty()) {
    argv.insert(argv.end(),
                {"-drive", cat("file=", escaped(machine.images), ",if=none,id=images,format=raw,readonly=on"),
                 "-device", "virtio-blk-pci,drive=images,serial=hearth-images"});
  }
  argv.insert(argv.end(),
              {"-netdev", user, "-device", cat("virtio-net-pci,netdev=people,romfile=,mac=", machine.cards.management),
               "-netdev", cat("tap,id=metal,script=no,downscript=no,ifname=", machine.tap), "-device",
               cat("virtio-net-pci,netdev=metal,romfile=,mac=", machine.cards.provisioning)});
  return argv;
}

}  // namespace hearth::bootstrap
