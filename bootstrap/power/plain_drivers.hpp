// The two drivers that talk to nobody: manual-management, where a person does what the conductor's instruction says,
// and fake-hardware, whose machines obey at once (for simulations and tests).
#pragma once

#include <mutex>
#include <set>

#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

class ManualDriver final : public PowerDriver {
 public:
  [[nodiscard]] bool by_hand() const override { return true; }
  [[nodiscard]] std::vector<std::string> missing(const Node& node) const override;
  [[nodiscard]] Power state(const Node& node) override { return node.power; }
  void set(const Node&, PowerAction) override {}
  void set_boot_device(const Node&, const std::string&, bool) override {}
};

/// driver_info may ask for trouble: fake_fault = "unreachable", "refused" or "deaf" (answers, but does nothing).
class FakeDriver final : public PowerDriver {
 public:
  [[nodiscard]] std::vector<std::string> missing(const Node&) const override { return {}; }
  [[nodiscard]] Power state(const Node& node) override;
  void set(const Node& node, PowerAction action) override;
  void set_boot_device(const Node& node, const std::string& device, bool persistent) override;
  void inject_nmi(const Node&) override {}

 private:
  std::mutex mutex_;
  std::map<std::string, Power> machines_;
};

}  // namespace hearth::bootstrap
