// The driver qemu: machines of this computer, for rehearsals. They outlive the conductor: each runs by itself, with its
// files (monitor socket, console.log, firmware variables) in DIRECTORY/UUID.
#pragma once

#include <mutex>

#include "base/clock.hpp"
#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

class QemuDriver final : public PowerDriver {
 public:
  QemuDriver(CommandRunner& runner, Clock& clock, fs::path directory)
      : runner_(runner), clock_(clock), directory_(std::move(directory)) {}
  [[nodiscard]] std::vector<std::string> missing(const Node& node) const override;
  [[nodiscard]] Power state(const Node& node) override;
  void set(const Node& node, PowerAction action) override;
  void set_boot_device(const Node& node, const std::string& device, bool persistent) override;
  [[nodiscard]] std::vector<std::string> boot_devices() const override { return {"pxe", "disk"}; }

 private:
  [[nodiscard]] fs::path home(const Node& node) const { return directory_ / node.uuid; }
  std::optional<Json> monitor(const Node& node, const std::string& command);
  void start(const Node& node);
  void make_disks(const Node& node);
  void make_taps(const Node& node);
  void stop(const Node& node);
  void run(const Node& node, std::vector<std::string> argv);
  [[nodiscard]] std::string next_boot_device(const Node& node);

  CommandRunner& runner_;
  Clock& clock_;
  fs::path directory_;
};

/// A disk as qemu_disk names it.
struct QemuDisk {
  std::string path;
  std::string size;  ///< "8G"; empty: it is there
};
[[nodiscard]] std::vector<QemuDisk> qemu_disks(const Node& node);
/// Names of the interfaces of its ports, in order; those of a bridge are derived from the UUID.
[[nodiscard]] std::vector<std::string> qemu_taps(const Node& node);
/// QEMU's command line. Pure.
[[nodiscard]] std::vector<std::string> qemu_command(const Node& node, const fs::path& home,
                                                    const std::string& boot_device);

}  // namespace hearth::bootstrap
