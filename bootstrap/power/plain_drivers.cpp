#include "bootstrap/power/plain_drivers.hpp"

#include "base/text.hpp"
#include "bootstrap/power/driver_keys.hpp"

namespace hearth::bootstrap {

namespace {

void have_trouble(const Node& node) {
  const std::string fault = driver_setting(node, "fake_fault");
  if (fault == "unreachable") throw PowerFault(PowerFault::Reason::unreachable, "the BMC does not answer (fake_fault)");
  if (fault == "refused") throw PowerFault(PowerFault::Reason::refused, "wrong user or password (fake_fault)");
}

}  // namespace

std::vector<std::string> ManualDriver::missing(const Node& node) const {
  if (!node.ports.empty()) return {};
  return {"no port: without a MAC address the machine can't be recognised when it boots"};
}

Power FakeDriver::state(const Node& node) {
  have_trouble(node);
  const std::lock_guard lock(mutex_);
  if (node.job.stage == Stage::await_off)
    machines_[node.uuid] = Power::off;  // its agent was told to, and such machines obey
  const auto found = machines_.find(node.uuid);
  // What a daemon before this one left is as the node has it.
  return found != machines_.end() ? found->second : node.power == Power::unknown ? Power::off : node.power;
}

void FakeDriver::set(const Node& node, PowerAction action) {
  have_trouble(node);
  if (driver_setting(node, "fake_fault") == "deaf") return;
  const std::lock_guard lock(mutex_);
  machines_[node.uuid] = action == PowerAction::off || action == PowerAction::soft_off ? Power::off : Power::on;
}

void FakeDriver::set_boot_device(const Node& node, const std::string&, bool) { have_trouble(node); }

}  // namespace hearth::bootstrap
