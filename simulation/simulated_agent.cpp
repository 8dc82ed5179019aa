#include "simulation/simulated_agent.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace hearth::simulation {

namespace deploy = agent::deploy;
using std::chrono::seconds;

std::vector<deploy::Disk> SimulatedHardware::disks() {
  std::vector<deploy::Disk> disks;
  for (const DriveState& drive : machine_.drives_)
    disks.push_back({.name = drive.device, .model = "SIMULATED", .serial = drive.serial, .size = drive.size});
  return disks;
}

std::vector<deploy::Nic> SimulatedHardware::nics() {
  return {{.name = "eth0", .mac = machine_.mac(), .ipv4 = machine_.address_, .has_carrier = true}};
}

Json SimulatedHardware::inventory() {
  return {{"interfaces", {{{"name", "eth0"}, {"mac_address", machine_.mac()}, {"ipv4_address", machine_.address_}}}},
          {"cpu", {{"count", 4}, {"architecture", "x86_64"}}},
          {"memory", {{"physical_mb", 8192}}},
          {"disks", Json::array()},
          {"boot", {{"current_boot_mode", machine_.is_uefi() ? "uefi" : "bios"}}},
          {"bmc_address", site_.layout.bmc(machine_.number())}};
}

DriveState& SimulatedHardware::drive_at(const std::string& device) {
  for (DriveState& drive : machine_.drives_) {
    if (drive.device == device) return drive;
  }
  throw Error(ErrorKind::not_found, cat("there is no ", device));
}

std::string SimulatedHardware::install_bootloader(const deploy::Disk& disk) {
  site_.scheduler.sleep(machine_.random_.between(seconds(1), seconds(5)));
  if (drive_at(disk.name).is_dead) throw Error(ErrorKind::io, cat(disk.name, ": input/output error"));
  return cat("an entry for ", disk.name);
}

namespace {

/// A machine that fetches its image, among those that do so at the same time.
class Writing {
 public:
  explicit Writing(Site& site) : site_(site), since_(site.scheduler.now()) {
    site.tally.most_writers = std::max(site.tally.most_writers, ++site.tally.writers);
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  ~Writing() { --site_.tally.writers; }
  /// All of it has come. One that a power cut or a dead disk ends counts as none, and its time as no image's.
  void came() {
    ++site_.tally.writes;
    site_.tally.writing += site_.scheduler.now() - since_;
    site_.tally.shared += shared_;
  }
  /// What so many bytes take on the link that all share.
  [[nodiscard]] Duration shared_time(std::uint64_t bytes) {
    if (site_.layout.link == 0) return Duration(0);
    const Duration alone = std::chrono::milliseconds(bytes * 1000 / site_.layout.link);
    shared_ += alone * (site_.tally.writers - 1);
    return alone * site_.tally.writers;
  }

 private:
  Site& site_;
  MonotonicTime since_;
  Duration shared_{};
};

}  // namespace

/// The disk is torn from the first byte to the last. Where the machine ends meanwhile it stays so.
deploy::WrittenImage SimulatedHardware::write_image(const deploy::ImageInfo& image, const std::string& device,
                                                    deploy::WriterWorld& world, deploy::WriteProgress& progress) {
  constexpr std::uint64_t k_parts = 8;
  const std::uint64_t part_bytes = site_.layout.image_bytes / k_parts;
  DriveState& drive = drive_at(device);
  Writing writing(site_);
  site_.rules.image_begun(machine_.name(), machine_.boot_, drive.serial, drive.serial == machine_.meant());
  site_.note("disk", machine_.name(), cat("an image is written to ", drive.serial));
  drive.image.clear();
  drive.drive.clear();
  progress.to_fetch = part_bytes * k_parts;
  for (std::uint64_t part = 0; part < k_parts; ++part) {
    HttpRequest request;
    request.url = *parse_url(image.urls.at(0));
    request.deadline = Deadline::after(seconds(60), world.clock);
    if (!world.http.send(request).ok()) throw Error(ErrorKind::io, cat(image.id, ": it can't be fetched"));
    world.clock.sleep(machine_.random_.between(seconds(1), seconds(8)) + writing.shared_time(part_bytes));
    if (drive.is_dead) throw Error(ErrorKind::io, cat(device, ": input/output error"));
    progress.fetched = progress.written = part_bytes * (part + 1);
  }
  writing.came();
  drive.image = image.id.substr(0, image.id.find('.'));
  return {image.urls.at(0), deploy::ImageFormat::raw, part_bytes * k_parts};
}

std::string SimulatedHardware::finish_partitions(const deploy::Disk& disk, const std::string& drive) {
  drive_at(disk.name).drive = drive;
  site_.note("disk", machine_.name(), cat("it is on ", drive_at(disk.name).serial));
  return cat(disk.name, "4");
}

std::string SimulatedSurroundings::address_towards(const Url& /*url*/) { return machine_.address_; }

std::shared_ptr<void> SimulatedSurroundings::listen(std::uint16_t port, deploy::RestServer::Handler handler,
                                                    const deploy::TlsIdentity* /*tls*/,
                                                    deploy::RestServer::Admission /*admits*/) {
  const OwnerId open = site_.scheduler.make_owner();
  site_.network.listen(machine_.address_, port, open,
                       [this, open, handler](const ServedRequest& request, Network::Reply reply) {
                         if (!site_.scheduler.lives(machine_.boot_)) return;
                         site_.scheduler.start(machine_.boot_, [this, open, handler, request, reply] {
                           site_.rules.told(machine_.name(), request.body);
                           if (!site_.scheduler.lives(open)) return;
                           reply(handler(request));
                         });
                       });
  return {nullptr, [this, open](void*) { site_.scheduler.end(open); }};
}

deploy::CommandBoard::Beside SimulatedSurroundings::beside() {
  return [this](std::function<void()> work) -> std::function<void()> {
    struct Shared {
      Bell bell;
      bool done = false;
    };
    const auto shared = std::make_shared<Shared>();
    site_.scheduler.start(machine_.boot_, [work = std::move(work), shared] {
      work();
      shared->done = true;
      shared->bell.ring();
    });
    return [this, shared] {
      while (!shared->done && !site_.scheduler.is_ending()) (void)site_.scheduler.wait(shared->bell, seconds(60));
    };
  };
}

bool SimulatedSurroundings::wait(Duration duration) { return !site_.scheduler.wait(bell_, duration); }

SimulatedAgent::SimulatedAgent(Site& site, simulation::Machine& machine, const deploy::Settings& settings)
    : hardware_(site, machine),
      surroundings_(site, machine),
      http_(site.network, surroundings_.address_towards({})),
      dialer_(site.scheduler.clock(), {}),
      console_(site.scheduler.clock(), -1),
      world_{hardware_, http_, dialer_, site.scheduler.clock(), console_},
      settings_(settings),
      agent_(settings_, world_, surroundings_) {}

}  // namespace hearth::simulation
