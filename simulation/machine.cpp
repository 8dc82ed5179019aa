#include "simulation/machine.hpp"

#include <algorithm>

#include "agent/deploy/init/dhcp_message.hpp"
#include "base/error.hpp"
#include "pxe/dhcp/message.hpp"
#include "simulation/simulated_agent.hpp"

namespace hearth::simulation {

namespace {

using std::chrono::seconds;
namespace dhcp = pxe::dhcp;

constexpr std::uint64_t k_gib = std::uint64_t{1} << 30U;

/// As firmware and iPXE send it: options 60, 93, 94, 97, and iPXE's user class and 175.
dhcp::Message firmware_message(dhcp::Type type, const pxe::Mac& mac, std::uint32_t xid, bool is_uefi, bool as_ipxe) {
  dhcp::Message message;
  message.xid = xid;
  message.flags = 0x8000;
  message.chaddr = mac;
  message.set_byte(dhcp::option::type, static_cast<std::uint8_t>(type));
  message.set(dhcp::option::max_size, std::string("\x05\xc0", 2));
  message.set(dhcp::option::parameters, std::string("\x01\x03\x06\x0c\x0f\x2b\x36\x3c\x42\x43", 10));
  message.set(dhcp::option::class_id,
              is_uefi ? "PXEClient:Arch:00007:UNDI:003016" : "PXEClient:Arch:00000:UNDI:002001");
  message.set(dhcp::option::arch, std::string(is_uefi ? "\x00\x07" : "\x00\x00", 2));
  message.set(dhcp::option::undi, std::string("\x01\x03\x10", 3));
  std::string uuid(17, '\0');
  std::copy(mac.bytes.begin(), mac.bytes.end(), uuid.begin() + 11);
  message.set(dhcp::option::uuid, uuid);
  if (as_ipxe) {
    message.set(dhcp::option::user_class, "iPXE");
    message.set(dhcp::option::ipxe, std::string("\xb1\x05\x01\x1a\xf4\x10\x00\xeb\x03\x01\x15\x01", 12));
  }
  return message;
}

std::optional<dhcp::Message> answer_to(const std::string& bytes, std::uint32_t xid, const pxe::Mac& mac) {
  const auto message = dhcp::parse_message(bytes);
  if (!message || message->op != 2 || message->xid != xid || message->chaddr != mac) return std::nullopt;
  return *message;
}

/// The words of an iPXE command up to "||".
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::string& word : split(line, ' ')) {
    if (word == "||") break;
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

}  // namespace

Machine::Machine(Site& site, std::size_t number)
    : site_(site),
      number_(number),
      name_(site.layout.machines[number].name),
      is_uefi_(site.layout.machines[number].uefi.value_or(Random::of(site.seed, "uefi", number).one_in(2))),
      network_first_(Random::of(site.seed, "boot order", number).one_in(3)),
      forgets_override_(Random::of(site.seed, "override", number).one_in(2)),
      random_(Random::of(site.seed, "machine", number)) {
  // The smaller one comes first: without the node's hint it would be taken.
  if (random_.one_in(2)) drives_.push_back({"/dev/sda", cat("DATA", number), 100 * k_gib, false, "", ""});
  drives_.push_back({drives_.empty() ? "/dev/sda" : "/dev/sdb", cat("SYSTEM", number), 200 * k_gib, false, "", ""});
}

void Machine::do_now(std::string what) {
  doing_ = std::move(what);
  site_.note("machine", name_, doing_);
}

void Machine::switch_on() {
  if (is_on()) return;
  boot_ = site_.scheduler.make_owner();
  do_now("on");
  site_.scheduler.start(boot_, [this] { boot(); });
}

void Machine::switch_off() {
  if (!is_on()) return;
  site_.scheduler.end(std::exchange(boot_, 0));
  runs_system_ = false;
  address_.clear();
  heard_.clear();
  bell_ = {};
  do_now("off");
}

void Machine::press_button() {
  if (!runs_system()) return;
  site_.scheduler.after(random_.between(seconds(2), seconds(30)), boot_, [this] {
    // Not from a task of its own.
    site_.scheduler.after(Duration(0), Scheduler::k_world, [this, boot = boot_] {
      if (boot_ == boot) switch_off();
    });
  });
}

void Machine::lose_power() {
  if (!is_on()) return;
  const bool comes_back = random_.percent(70);
  switch_off();
  if (comes_back) site_.scheduler.after(seconds(5), Scheduler::k_world, [this] { switch_on(); });
}

void Machine::kill_disk() { drives_.back().is_dead = true; }

void Machine::replace_disk() {
  DriveState& drive = drives_.back();
  if (!drive.is_dead) return;
  drive.is_dead = false;
  drive.image.clear();
  drive.drive.clear();
}

void Machine::receive(std::string bytes) {
  if (!is_on() || heard_.size() >= 16) return;
  heard_.push_back(std::move(bytes));
  bell_.ring();
}

void Machine::boot() {
  Scheduler& scheduler = site_.scheduler;
  do_now("in its firmware");
  scheduler.sleep(random_.between(seconds(10), seconds(60)) + more_in_firmware_);
  const bootstrap::BootOverride wish = boot_override;
  if (wish.enabled == "Once" || forgets_override_) boot_override = {};
  const bool network = wish.enabled == "Disabled" || wish.target == "None" ? network_first_ : wish.target == "Pxe";
  if (network && boot_network()) return;
  boot_disk();
  if (!network && wish.target != "Hdd" && boot_network()) return;
  do_now("stands, nothing boots");
}

std::optional<std::string> Machine::converse(const std::string& message, Duration patience,
                                             const std::function<bool(const std::string&)>& fits) {
  site_.network.datagram(name_, k_conductor_link, [this, message] {
    if (const auto& server = site_.dhcp_server)
      server(message, name_, [this](const std::string& bytes) { receive(bytes); });
  });
  const MonotonicTime end = site_.scheduler.now() + patience;
  while (site_.scheduler.now() < end) {
    while (!heard_.empty()) {
      std::string bytes = std::move(heard_.front());
      heard_.pop_front();
      if (fits(bytes)) return bytes;
    }
    (void)site_.scheduler.wait(bell_, end - site_.scheduler.now());
  }
  return std::nullopt;
}

std::optional<Machine::Offer> Machine::ask_as_firmware(bool as_ipxe) {
  const pxe::Mac mac = *pxe::parse_mac(this->mac());
  const auto xid = static_cast<std::uint32_t>(random_.next());
  for (int round = 0; round < 4; ++round) {  // 4, 8, 16 and 32 s, as the PXE specification has it
    const Duration patience = seconds(4 << round);
    const dhcp::Message discover = firmware_message(dhcp::Type::discover, mac, xid, is_uefi_, as_ipxe);
    std::optional<dhcp::Message> offer;
    (void)converse(write_message(discover, 1472), patience, [&](const std::string& bytes) {
      offer = answer_to(bytes, xid, mac);
      if (offer && offer->type() != dhcp::Type::offer) offer.reset();
      return offer.has_value();
    });
    if (!offer) continue;
    dhcp::Message request = firmware_message(dhcp::Type::request, mac, xid, is_uefi_, as_ipxe);
    request.set_address(dhcp::option::requested_address, offer->yiaddr);
    if (const auto server = offer->address(dhcp::option::server)) request.set_address(dhcp::option::server, *server);
    std::optional<dhcp::Message> ack;
    (void)converse(write_message(request, 1472), patience, [&](const std::string& bytes) {
      ack = answer_to(bytes, xid, mac);
      if (ack && ack->type() != dhcp::Type::ack && ack->type() != dhcp::Type::nak) ack.reset();
      return ack.has_value();
    });
    if (!ack || ack->type() == dhcp::Type::nak) continue;
    std::string file = ack->file;
    if (const std::string* given = ack->find(dhcp::option::boot_file)) file = *given;
    while (!file.empty() && file.back() == '\0') file.pop_back();
    return Offer{ack->yiaddr, file};
  }
  return std::nullopt;
}

void Machine::take_address(pxe::Ipv4 address) {
  address_ = pxe::to_text(address);
  site_.network.put_host(address_, name_, boot_);
}

std::optional<std::string> Machine::fetch(std::uint16_t port, const std::string& path) {
  HttpRequest request;
  request.url = {"http", "", site_.layout.server(), port, path};
  request.deadline = Deadline::after(seconds(60), site_.scheduler.clock());
  try {
    HttpResponse response = HostClient(site_.network, address_).send(request);
    if (!response.ok()) return std::nullopt;
    site_.scheduler.sleep(random_.between(std::chrono::milliseconds(50), seconds(3)));
    site_.rules.told(name_, response.body);
    return std::move(response.body);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The first question is repeated after four seconds.
void Machine::count_boot(Duration asked) {
  Tally& tally = site_.tally;
  ++tally.boots;
  if (asked < seconds(4)) return;
  ++tally.waited;
  tally.waiting += asked;
  if (tally.refused.contains(name_)) ++tally.no_room;
}

bool Machine::boot_network() {
  do_now("asks the network");
  const MonotonicTime since = site_.scheduler.now();
  site_.tally.refused.erase(name_);
  const std::optional<Offer> offer = ask_as_firmware(false);
  count_boot(site_.scheduler.now() - since);
  if (!offer || offer->file.empty()) return false;
  take_address(offer->address);
  if (!fetch(69, cat("/", offer->file))) return false;
  if (offer->file == "shimx64.efi") {
    const std::optional<std::string> config =
        fetch(69, cat("/grub/grub.cfg-01-", pxe::with_dashes(*pxe::parse_mac(mac()))));
    if (config && config->find("chainloader") != std::string::npos) boot_disk();
    return false;
  }
  return run_ipxe();
}

/// Its script makes it try again for ever.
bool Machine::run_ipxe() {
  do_now("runs iPXE");
  for (int tries = 0; tries < 3; ++tries) {
    const std::optional<Offer> offer = ask_as_firmware(true);
    if (!offer) continue;
    const Result<Url> url = parse_url(offer->file);
    if (!url) continue;
    take_address(offer->address);
    while (true) {
      const std::optional<std::string> script = fetch(url->port, url->path);
      if (!script) break;
      if (script->find("on hold") != std::string::npos) {
        site_.scheduler.sleep(seconds(30));
        continue;
      }
      return follow_script(*script);
    }
  }
  return false;
}

bool Machine::follow_script(const std::string& script) {
  std::string kernel;
  std::string ramdisk;
  std::string line;
  for (const std::string& row : split_lines(script)) {
    const std::vector<std::string> words = words_of(row);
    if (words.empty()) continue;
    if (words[0] == "initrd") ramdisk = words.back();
    if (words[0] != "kernel") continue;
    kernel = words.at(1);
    line = join({words.begin() + 2, words.end()}, " ");
  }
  if (kernel.empty()) return false;  // the disk's turn
  line = replace_all(line, "${netX/mac:hexhyp}", pxe::with_dashes(*pxe::parse_mac(mac())));
  while (true) {
    const auto kernel_url = parse_url(kernel);
    const auto ramdisk_url = parse_url(ramdisk);
    if (kernel_url && ramdisk_url && fetch(kernel_url->port, kernel_url->path) &&
        fetch(ramdisk_url->port, ramdisk_url->path))
      break;
    site_.scheduler.sleep(seconds(5));
  }
  run_ramdisk(line);
  return true;
}

void Machine::boot_disk() {
  do_now("looks at its disks");
  site_.scheduler.sleep(random_.between(seconds(1), seconds(10)));
  for (const DriveState& drive : drives_) {
    if (!drive.is_dead && !drive.image.empty()) run_system(drive);
  }
}

/// What parse_dhcp() and encode_dhcp() of the ramdisk make of it; its loop has a socket in it, and is played here.
bool Machine::ask_as_ramdisk(Duration patience) {
  namespace agent = agent::deploy;
  const MonotonicTime end = site_.scheduler.now() + patience;
  const agent::MacAddress card = *agent::parse_mac(mac());
  while (site_.scheduler.now() < end) {
    agent::DhcpQuestion question{.transaction = static_cast<std::uint32_t>(random_.next()), .mac = card};
    std::optional<agent::DhcpAnswer> answer;
    const auto ask = [&](agent::DhcpKind kind) {
      (void)converse(encode_dhcp(question), seconds(4), [&](const std::string& bytes) {
        answer = agent::parse_dhcp(bytes, question.transaction, card);
        if (answer && answer->kind != kind) answer.reset();
        return answer.has_value();
      });
    };
    ask(agent::DhcpKind::offer);
    if (!answer) continue;
    question.kind = agent::DhcpKind::request;
    question.requested = answer->address;
    question.server = answer->server;
    ask(agent::DhcpKind::ack);
    if (!answer) continue;
    take_address({answer->address});
    lease_s_ = answer->lease_seconds;
    return true;
  }
  return false;
}

/// A task of its own, for as long as the machine is on.
void Machine::keep_lease() {
  site_.scheduler.start(boot_, [this] {
    while (true) {
      site_.scheduler.sleep(seconds(std::max<std::uint32_t>(lease_s_ / 2, 60)));
      (void)ask_as_ramdisk(seconds(60));
    }
  });
}

void Machine::run_ramdisk(const std::string& line) {
  do_now("starts its ramdisk");
  site_.scheduler.sleep(random_.between(seconds(10), seconds(40)));
  while (!ask_as_ramdisk(seconds(120))) site_.scheduler.sleep(seconds(30));
  keep_lease();
  while (true) {
    do_now("runs its agent");
    run_agent(line);
    do_now("its agent tries again");
    site_.scheduler.sleep(seconds(30));
  }
}

void Machine::run_agent(const std::string& line) {
  namespace deploy = agent::deploy;
  try {
    const deploy::Settings settings = deploy::settings_of(deploy::parse_kernel_line(line));
    SimulatedAgent agent(site_, *this, settings);
    const deploy::Ending ending = agent.run();
    site_.scheduler.after(Duration(0), Scheduler::k_world, [this, ending, boot = boot_] {
      if (boot_ != boot) return;
      switch_off();
      if (ending == deploy::Ending::reboot) switch_on();
    });
    site_.scheduler.sleep(seconds(3600));
  } catch (const Error& error) {
    site_.note("agent", name_, error.what());
  }
}

void Machine::run_system(const DriveState& drive) {
  do_now("starts its system");
  site_.scheduler.sleep(random_.between(seconds(20), seconds(90)));
  runs_system_ = true;
  do_now("runs its system");
  MachineTally& tally = site_.tally.machines[name_];
  if (!tally.up) tally.up = site_.scheduler.elapsed();
  site_.rules.system_runs(name_, drive.image, drive.drive);
  while (!ask_as_ramdisk(seconds(120))) site_.scheduler.sleep(seconds(30));
  keep_lease();
  while (true) site_.scheduler.sleep(seconds(24 * 3600));
}

std::vector<std::string> Racks::names() const {
  std::vector<std::string> names;
  for (const auto& machine : machines_) names.push_back(machine->name());
  return names;
}

Machine& Racks::of(const std::string& name) const {
  for (const auto& machine : machines_) {
    if (machine->name() == name) return *machine;
  }
  throw Error(ErrorKind::not_found, cat("there is no machine ", name));
}

void Racks::inject(const std::string& machine, bootstrap::FaultKind /*fault*/) { of(machine).lose_power(); }

}  // namespace hearth::simulation
