#include "agent/net/activation.hpp"

#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

std::vector<std::string> ifupdown(const char* program, const std::string& unit, Provider provider,
                                  const std::string& root) {
  std::vector<std::string> argv = {program};
  if (provider == Provider::eni && !root.empty()) {
    argv.insert(argv.end(), {"-i", cat(root, "/etc/network/interfaces")});
  }
  argv.push_back(unit);
  return argv;
}

void add_deletion(std::vector<Step>& steps, const std::string& device) {
  steps.push_back({{"ip", "link", "delete", "dev", device}, false, device});
}

/// Whatever configured the device before, nothing of it is left.
void add_flush(std::vector<Step>& steps, const std::string& device) {
  steps.push_back({{"ip", "addr", "flush", "dev", device}, false, device});
}

void stop_unit(std::vector<Step>& steps, const Unit& unit, Provider provider, const std::string& root) {
  if (provider == Provider::networkd) {
    // A device that networkd made is only made anew when it is gone.
    if (unit.is_virtual) add_deletion(steps, unit.name);
    return;
  }
  const std::string& name = unit.device_now.empty() ? unit.name : unit.device_now;
  steps.push_back({ifupdown("/sbin/ifdown", unit.name, provider, root), false, ""});
  if (unit.is_virtual) {
    add_deletion(steps, unit.name);
  } else {
    add_flush(steps, name);
    steps.push_back({{"ip", "link", "set", "dev", name, "down"}, false, name});
  }
}

void rename_unit(std::vector<Step>& steps, const Unit& unit) {
  if (unit.device_now.empty()) return;
  steps.push_back({{"ip", "link", "set", "dev", unit.device_now, "down"}, false, unit.device_now});
  steps.push_back({{"ip", "link", "set", "dev", unit.device_now, "name", unit.name}, true, unit.device_now});
}

/// One after the other: a function is there when its card has made it.
void replay(std::vector<Step>& steps, const std::vector<Replay>& all) {
  if (!all.empty()) steps.push_back({{"udevadm", "control", "--reload"}, true, ""});
  for (const Replay& one : all) {
    steps.push_back({one.argv, true, one.device});
    steps.push_back({{"udevadm", "settle"}, true, one.device});
  }
}

void start_with_networkd(std::vector<Step>& steps, const ChangePlan& plan) {
  steps.push_back({{"networkctl", "reload"}, true, ""});
  for (const Unit& unit : plan.restart) {
    steps.push_back({{"networkctl", "reconfigure", unit.name}, true, unit.name});
    if (!unit.onboot) steps.push_back({{"networkctl", "up", unit.name}, true, unit.name});
  }
  for (const Unit& unit : plan.restart) {
    if (!unit.waits) continue;
    steps.push_back(
        {{"/lib/systemd/systemd-networkd-wait-online", "--interface", unit.name, "--timeout", "60"}, true, ""});
  }
}

}  // namespace

std::vector<Step> stop_steps(const ChangePlan& plan, Provider provider, const std::string& root) {
  std::vector<Step> steps;
  for (const Unit& unit : plan.gone) stop_unit(steps, unit, provider, root);
  for (auto unit = plan.restart.rbegin(); unit != plan.restart.rend(); ++unit) {
    stop_unit(steps, *unit, provider, root);
  }
  return steps;
}

std::vector<Step> start_steps(const ChangePlan& plan, Provider provider, const std::string& root) {
  std::vector<Step> steps;
  for (const Unit& unit : plan.restart) rename_unit(steps, unit);  // udev's rules know the new names
  replay(steps, plan.replayed);
  if (provider == Provider::networkd) {
    if (!plan.empty()) start_with_networkd(steps, plan);
    return steps;
  }
  for (const Unit& unit : plan.restart) steps.push_back({ifupdown("/sbin/ifup", unit.name, provider, root), true, ""});
  return steps;
}

}  // namespace hearth::agent::net
