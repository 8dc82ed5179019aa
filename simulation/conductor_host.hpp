// The host on which the conductor runs: the real conductor over the real store, with its REST faces behind their gates,
// the real DHCP engine and what the boot servers hand out. Its threads are tasks; its sockets are the simulated links.
// It is killed, loses power, has a full disk, and starts again.
#pragma once

#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/boot/boot_desk.hpp"
#include "bootstrap/conductor/conductor.hpp"
#include "bootstrap/gate/gate.hpp"
#include "pxe/boot/attribution.hpp"
#include "pxe/boot/site_content.hpp"
#include "pxe/dhcp/engine.hpp"
#include "simulation/disk.hpp"
#include "simulation/machine.hpp"

namespace hearth::simulation {

/// Workers whose threads are tasks.
class TaskWorkers final : public bootstrap::Workers {
 public:
  /// `news`: something has finished.
  TaskWorkers(Scheduler& scheduler, OwnerId owner, std::function<void()> news)
      : scheduler_(scheduler), owner_(owner), news_(std::move(news)) {}
  void submit(bootstrap::Work work, bootstrap::Finished finished) override;
  bool collect(std::size_t most) override;
  [[nodiscard]] bool idle() const override { return running_ == 0 && done_.empty(); }

 private:
  struct Done {
    bootstrap::Finished finished;
    bootstrap::Outcome outcome;
  };
  Scheduler& scheduler_;
  OwnerId owner_;
  std::function<void()> news_;
  std::size_t running_ = 0;
  std::deque<Done> done_;
};

/// What the conductor says, in the trace.
class TraceLogger final : public Logger {
 public:
  explicit TraceLogger(Site& site) : site_(site) {}
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  Site& site_;
};

class ConductorHost {
 public:
  explicit ConductorHost(Site& site);
  ConductorHost(const ConductorHost&) = delete;
  ConductorHost& operator=(const ConductorHost&) = delete;
  ~ConductorHost();

  void start();
  /// kill -9, or the host's power: at this moment, or in the midst of what it writes next. What it was about to do is
  /// not done. Comes back in some seconds.
  void kill() { strike(SimulatedDisk::Cut::process); }
  void cut_power() { strike(SimulatedDisk::Cut::power); }
  void fill_disk(bool is_full) { disk_.fill(is_full); }
  /// To be called after each event: whether the process has come to its end within it.
  void look();

  [[nodiscard]] bool runs() const { return process_ != nullptr; }
  [[nodiscard]] bool is_quiet() const;

 private:
  struct Process;
  void strike(SimulatedDisk::Cut cut);
  void end_process(SimulatedDisk::Cut cut);
  void open_store();

  Site& site_;
  Random random_;
  SimulatedDisk disk_;
  SimulatedDisk::Cut cut_ = SimulatedDisk::Cut::process;
  std::unique_ptr<bootstrap::Store> store_;
  std::unique_ptr<Process> process_;
};

}  // namespace hearth::simulation
