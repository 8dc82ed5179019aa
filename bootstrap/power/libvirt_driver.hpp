// The driver libvirt: domains of libvirt, through virsh.
#pragma once

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

class LibvirtDriver final : public PowerDriver {
 public:
  LibvirtDriver(CommandRunner& runner, Clock& clock) : runner_(runner), clock_(clock) {}
  [[nodiscard]] std::vector<std::string> missing(const Node& node) const override;
  [[nodiscard]] Power state(const Node& node) override;
  void set(const Node& node, PowerAction action) override;
  void set_boot_device(const Node& node, const std::string& device, bool persistent) override;

 private:
  std::string virsh(const Node& node, const std::vector<std::string>& words, const std::string& input = "");
  [[nodiscard]] std::string domain(const Node& node);

  CommandRunner& runner_;
  Clock& clock_;
};

/// A domain's XML with this device ("network", "hd", "cdrom") first among <os>'s <boot>; per-device orders, which would
/// overrule it, are taken out. Pure.
[[nodiscard]] std::string with_boot_device(const std::string& xml, const std::string& device);

}  // namespace hearth::bootstrap
