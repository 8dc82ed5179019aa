#include "bootstrap/rehearse/stage.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/rehearse/played_inventory.hpp"
#include "bootstrap/seed/images_disk.hpp"
#include "bootstrap/seed/seed_api.hpp"
#include "bootstrap/seed/seed_control.hpp"
#include "bootstrap/seed/seed_plan.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_vars = "/usr/share/OVMF/OVMF_VARS_4M.fd";

void run_command(CommandRunner& runner, const std::vector<std::string>& argv) {
  Command command;
  command.argv = argv;
  run_checked(runner, command);
}

bool answers(const std::string& address, std::uint16_t port) {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(pxe::parse_ipv4(address).value_or(pxe::Ipv4{}).value);
  return fd && ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
}

}  // namespace

RehearsalStage::RehearsalStage(const RehearsalSettings& settings, CommandRunner& runner, Clock& clock)
    : settings_(settings),
      runner_(runner),
      clock_(clock),
      token_(random_hex(24)),
      bmc_(bmc_place(settings, [] { return random_hex(12); })),
      inventory_(rehearsed_inventory(settings, bmc_)) {}

Environment RehearsalStage::environment() const {
  Environment env = current_environment();
  env["HEARTH_NODE_URL"] = conductor_url();
  for (const char* proxy : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
    env.erase(proxy);
  return env;
}

void RehearsalStage::build(const std::function<void(const std::string&)>& tell) {
  make_network();
  make_machines();
  write_files();
  open_door();
  start_bmc();
  if (settings_.seed == SeedKind::process)
    start_services();
  else
    start_seed_machine();
  const Deadline patience = Deadline::after(std::min(settings_.seed_patience, settings_.limit), clock_);
  if (settings_.seed == SeedKind::machine) {
    tell(cat("the seed is booting; its console: ", seed_log().string()));
    SeedControl(seed_log().parent_path(), runner_, clock_).wait_until_ready(patience, tell);
  }
  wait_for_ports(patience);
  if (settings_.seed == SeedKind::machine) register_images();
}

void RehearsalStage::make_network() {
  if (::unshare(CLONE_NEWNET) != 0) {
    throw Error::from_errno("making", "a network namespace")
        .hint("user namespaces must be allowed: sysctl kernel.unprivileged_userns_clone=1");
  }
  if (bmc_.address.empty())
    throw Error(ErrorKind::input, cat(settings_.site.subnet, " has no address left for the machines' management"))
        .hint("make network.pool smaller");
  for (const std::vector<std::string>& argv : network_commands(settings_)) run_command(runner_, argv);
}

void RehearsalStage::make_machines() {
  RealFileSystem files;
  if (find_program("ssh-keygen", current_environment())) {
    const fs::path key = settings_.work / k_ssh_key;
    run_command(runner_, {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "hearth rehearse", "-f", key.string()});
    ssh_key_ = files.read(key.string() + ".pub").value_or("");
  }
  for (const BlankMachine& machine : settings_.site.machines) {
    files.make_directories(home(machine), 0700);
    run_command(runner_, {"qemu-img", "create", "-q", "-f", "qcow2", (home(machine) / "disk.qcow2").string(),
                          cat(machine.disk_gib, "G")});
    if (!machine.uefi) continue;
    if (!fs::exists(k_vars)) {
      throw Error(ErrorKind::not_found, cat("there is no ", k_vars, ", and ", machine.name, " has UEFI"))
          .hint("apt-get install ovmf");
    }
    fs::copy_file(k_vars, home(machine) / "vars.fd");
  }
}

void RehearsalStage::write_files() {
  RealFileSystem files;
  const FileAttributes secret{.mode = 0600, .uid = {}, .gid = {}};
  const auto write = [&](const char* name, const Json& json) {
    files.write(settings_.work / name, json_document(json), secret);
  };
  for (const fs::path& state : {node_state(settings_), stacks_state(settings_)}) {
    files.make_directories(state, 0700);
    files.write(state / "api-token", cat(token_, "\n"), secret);
  }
  write("boot.json", boot_site(settings_.site, k_bridge, node_state(settings_).string()));
  write_inventory(with_mistakes(inventory_, settings_.faults));
}

void RehearsalStage::write_inventory(const Json& inventory) {
  RealFileSystem().write(inventory_file(settings_), json_document(inventory), {.mode = 0600, .uid = {}, .gid = {}});
}

void RehearsalStage::open_door() {
  // It is killed with this namespace; nobody waits for it.
  static_cast<void>(start_companion([this] {
    const Fd page(settings_.page);
    return serve_door(page, k_conductor_port, settings_.work / k_door, door_hosts(settings_.site));
  }));
}

void RehearsalStage::start_bmc() {
  std::vector<MachinePark::Place> places;
  const std::vector<std::string> taps = tap_names(settings_.site);
  for (std::size_t i = 0; i < settings_.site.machines.size(); ++i) {
    const BlankMachine& machine = settings_.site.machines[i];
    MachineSetting setting;
    setting.home = home(machine);
    setting.accelerator = settings_.accelerator;
    setting.tap = taps[i];
    setting.ssh_key = ssh_key_;
    for (const InjectedFault& fault : settings_.faults)
      setting.relayed = setting.relayed || (fault.kind == FaultKind::lossy_link && fault.machine == machine.name);
    places.push_back({machine, setting});
  }
  // It is killed with this namespace; nobody waits for it.
  static_cast<void>(start_companion([this, places] { return serve_bmc(bmc_, places); }));
}

void RehearsalStage::start_services() {
  const Fd log = Fd::open((settings_.work / "seed.log").string(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  SpawnOptions options;
  options.argv = seed_service_command(settings_);
  options.env = environment();
  options.out = log.get();
  options.err = log.get();
  seed_.emplace(Child::spawn(options));
}

void RehearsalStage::start_seed_machine() {
  RealFileSystem files;
  SeedMachine seed;
  seed.home = settings_.work / "seed";
  files.make_directories(seed.home, 0700);
  seed.image = seed.home / "disk.qcow2";
  run_command(runner_, {"qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b",
                        fs::absolute(settings_.site.seed_image).string(), seed.image.string()});
  seed.images = seed.home / "images.squashfs";
  image_ = pack_image({"site", settings_.site.image, settings_.site.deploy}, seed.images, runner_);
  seed.tap = tap_names(settings_.site).back();
  seed.cards = seed_cards(settings_.site);
  seed.accelerator = settings_.accelerator;
  seed.disposable = true;
  seed.memory_mib = settings_.site.seed_memory_mib;
  const std::optional<std::string> token = files.read(cat(settings_.site.seed_image.string(), ".token"));
  if (!token) {
    throw Error(ErrorKind::not_found,
                cat("there is no ", settings_.site.seed_image.string(), ".token beside the seed's image"))
        .hint("hearth seed create makes both");
  }
  token_ = std::string(trim(*token));
  for (const fs::path& state : {node_state(settings_), stacks_state(settings_)})
    files.write(state / "api-token", cat(token_, "\n"), {.mode = 0600, .uid = {}, .gid = {}});
  run_command(runner_, seed_command(seed));
}

void RehearsalStage::wait_for_ports(const Deadline& patience) {
  struct ListeningPort {
    const char* what;
    std::string address;
    std::uint16_t number;
  };
  const std::string& seed = settings_.site.seed_address;
  const std::vector<ListeningPort> ports = {{"the machines' management", bmc_.address, bmc_.port},
                                            {"the conductor", seed, 6385},
                                            {"the stack engine", seed, 8004}};
  for (const ListeningPort& port : ports) {
    while (!answers(port.address, port.number)) {
      if (seed_ && seed_->wait(Deadline::after(Duration::zero(), clock_), clock_)) {
        throw Error(ErrorKind::external, "the seed's services ended at once:\n" +
                                             RealFileSystem().read(settings_.work / "seed.log").value_or(""));
      }
      if (patience.passed(clock_.now())) {
        throw Error(ErrorKind::external, cat(port.what, " does not answer in time at ", port.address, ":", port.number))
            .hint(cat("see ", seed_log().string(), "; --seed-timeout and --timeout give it longer"));
      }
      clock_.sleep(std::chrono::milliseconds(200));
    }
  }
}

fs::path RehearsalStage::seed_log() const {
  return settings_.work / (settings_.seed == SeedKind::process ? "seed.log" : "seed/console.log");
}

void RehearsalStage::register_images() {
  const SeedApi api(conductor_url(), token_, clock_);
  register_image(api, settings_.site, settings_.seed == SeedKind::machine ? image_ : api.get("/v1/hearth/images/site"));
}

std::string RehearsalStage::log_names() const {
  std::string names = cat("\nlogs: ", settings_.work.string(), "\n");
  names += cat("  ", seed_log().lexically_relative(settings_.work).string(), "   the seed\n");
  for (const BlankMachine& machine : settings_.site.machines)
    names += cat("  machines/", machine.name, "/console.log   its console; qemu.log beside it\n");
  return names;
}

}  // namespace hearth::bootstrap
