// The real deploy agent in a simulated machine: its protocol, its orders, its choice of a disk are the product's; what
// lies on the other side of its seams (Machine, Surroundings, HttpClient, Clock) is played. An image's bytes are not.
#pragma once

#include "simulation/machine.hpp"

namespace hearth::simulation {

class SimulatedHardware final : public agent::deploy::Machine {
 public:
  SimulatedHardware(Site& site, simulation::Machine& machine) : site_(site), machine_(machine) {}
  [[nodiscard]] std::vector<agent::deploy::Disk> disks() override;
  [[nodiscard]] std::vector<agent::deploy::Nic> nics() override;
  [[nodiscard]] Json inventory() override;
  [[nodiscard]] Json pci_devices() override { return Json::array(); }
  std::string install_bootloader(const agent::deploy::Disk& disk) override;
  std::string install_grub(const agent::deploy::GrubWish& /*wish*/) override { return "played"; }
  void make_file_system(const std::string& /*type*/, const std::string& /*device*/,
                        const std::string& /*label*/) override {}
  agent::deploy::WrittenImage write_image(const agent::deploy::ImageInfo& image, const std::string& device,
                                          agent::deploy::WriterWorld& world,
                                          agent::deploy::WriteProgress& progress) override;
  std::string finish_partitions(const agent::deploy::Disk& disk, const std::string& drive) override;
  void let_in(const Json& /*params*/) override {}
  void end(agent::deploy::Ending /*ending*/) override {}

 private:
  [[nodiscard]] DriveState& drive_at(const std::string& device);
  Site& site_;
  simulation::Machine& machine_;
};

class SimulatedSurroundings final : public agent::deploy::Surroundings {
 public:
  SimulatedSurroundings(Site& site, simulation::Machine& machine) : site_(site), machine_(machine) {}
  [[nodiscard]] std::string address_towards(const Url& url) override;
  [[nodiscard]] std::shared_ptr<void> listen(std::uint16_t port, agent::deploy::RestServer::Handler handler,
                                             const agent::deploy::TlsIdentity* tls,
                                             agent::deploy::RestServer::Admission admits) override;
  [[nodiscard]] agent::deploy::CommandBoard::Beside beside() override;
  void wake() override { bell_.ring(); }
  [[nodiscard]] bool wait(Duration duration) override;

 private:
  Site& site_;
  simulation::Machine& machine_;
  Bell bell_;
};

class SimulatedAgent {
 public:
  SimulatedAgent(Site& site, simulation::Machine& machine, const agent::deploy::Settings& settings);
  [[nodiscard]] agent::deploy::Ending run() { return agent_.run(); }

 private:
  SimulatedHardware hardware_;
  SimulatedSurroundings surroundings_;
  HostClient http_;
  Dialer dialer_;
  agent::deploy::Console console_;
  agent::deploy::OrderWorld world_;
  agent::deploy::Settings settings_;
  agent::deploy::Agent agent_;
};

}  // namespace hearth::simulation
