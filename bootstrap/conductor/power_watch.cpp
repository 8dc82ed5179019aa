#include "bootstrap/conductor/power_watch.hpp"

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

bool is_off(PowerAction action) { return action == PowerAction::off || action == PowerAction::soft_off; }
bool is_reboot(PowerAction action) { return action == PowerAction::reboot || action == PowerAction::soft_reboot; }

}  // namespace

void PowerWatch::request(Node& node, PowerAction action) {
  Ledger& ledger = parts_.ledger;
  PowerDriver* driver = parts_.drivers.find(node.driver);
  if (driver == nullptr) throw Refusal(400, cat("there is no driver ", node.driver));
  if (parts_.busy.contains(node.uuid) || (node.job.running() && !driver->by_hand())) {
    throw Refusal(409, cat("Node ", node.uuid, " is locked by host ", parts_.settings.host,
                           ", please retry after the current operation is completed."));
  }
  const Power wanted = is_off(action) ? Power::off : Power::on;
  if (driver->by_hand()) {
    const std::string word = is_off(action) ? "off" : is_reboot(action) ? "off and on again" : "on";
    const std::string task = is_off(action) ? "power-off" : is_reboot(action) ? "reset" : "power-on-disk";
    node.power = wanted;
    instruct(ledger, node, task, cat("Switch node ", node.title(), " ", word, "."), parts_.settings.instruction_time);
    return;
  }
  node.target_power = is_reboot(action) ? "rebooting" : is_off(action) ? "power off" : "power on";
  ledger.record(node, "power", cat(name(action), " was asked for"));
  const Node copy = node;
  start(node, power_work([driver, copy, action] {
          driver->set(copy, action);
          return Json();
        }),
        [&ledger, wanted](Node& now, const Outcome& outcome) {
          now.target_power.clear();
          if (outcome.good) {
            now.power = wanted;
            now.internal["last_power_state_change"] = stamp_json(ledger.now());
            ledger.record(now, "power", text_of(power_json(wanted)));
          } else {
            now.last_error = outcome.error;
            ledger.record(now, "failure", cat("power: ", outcome.error));
          }
        });
}

void PowerWatch::set_boot_device(Node& node, const std::string& device, bool persistent) {
  PowerDriver* driver = parts_.drivers.find(node.driver);
  if (driver == nullptr) throw Refusal(400, cat("there is no driver ", node.driver));
  const std::vector<std::string> devices = driver->boot_devices();
  if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
    throw Refusal(400, cat("Invalid boot device ", device, " specified. Supported are: ", join(devices, ", ")));
  }
  node.boot_device = device;
  node.boot_device_persistent = persistent;
  const Node copy = node;
  Ledger& ledger = parts_.ledger;
  start(node, power_work([driver, copy, device, persistent] {
          driver->set_boot_device(copy, device, persistent);
          return Json();
        }),
        [&ledger](Node& now, const Outcome& outcome) {
          if (outcome.good) return;
          now.last_error = outcome.error;
          ledger.record(now, "failure", cat("boot device: ", outcome.error));
        });
}

void PowerWatch::start(const Node& node, Work work, std::function<void(Node&, const Outcome&)> then) {
  parts_.busy.insert(node.uuid);
  pending_.push_back({node.uuid, std::move(work), std::move(then)});
}

void PowerWatch::dispatch() {
  std::vector<Pending> pending = std::exchange(pending_, {});
  for (Pending& one : pending) {
    parts_.workers.submit(std::move(one.work), [this, uuid = one.uuid, then = one.then](const Outcome& outcome) {
      parts_.busy.erase(uuid);
      if (parts_.ledger.by_uuid(uuid) != nullptr) then(parts_.ledger.edit(uuid), outcome);
    });
  }
}

void PowerWatch::look() {
  const Stamp now = parts_.ledger.now();
  for (const auto& [uuid, node] : parts_.ledger.nodes()) {
    if (!node.instruction.action.empty()) remind(node);
  }
  if (now < next_ || parts_.settings.power_sync_interval.count() == 0) return;
  const bool first = next_ == 0;
  next_ = now + microseconds(parts_.settings.power_sync_interval);
  if (first) return;
  for (const auto& [uuid, node] : parts_.ledger.nodes()) {
    PowerDriver* driver = parts_.drivers.find(node.driver);
    const bool ours = !node.maintenance || node.fault == "power failure";
    if (driver != nullptr && !driver->by_hand() && ours && !node.job.running() && node.state != State::enroll &&
        !parts_.busy.contains(uuid)) {
      look_at(node, *driver);
    }
  }
}

void PowerWatch::remind(const Node& node) {
  const Stamp now = parts_.ledger.now();
  if (now - node.instruction.reminded < microseconds(parts_.settings.reminder_interval)) return;
  Node& changed = parts_.ledger.edit(node.uuid);
  changed.instruction.reminded = now;
  const bool late = now > changed.instruction.deadline;
  parts_.ledger.record(changed, "reminder",
                       cat(late ? "Still waiting, and late: " : "Still waiting: ", changed.instruction.text));
}

void PowerWatch::look_at(const Node& node, PowerDriver& driver) {
  const Node copy = node;
  const bool force = parts_.settings.force_power_state && node.power != Power::unknown && node.fault.empty() &&
                     node.internal.value("power_sync_failures", 0) < parts_.settings.power_sync_retries;
  start(node, power_work([&driver, copy, force]() -> Json {
          const Power found = driver.state(copy);
          const bool differs = found != copy.power;
          if (differs && force) driver.set(copy, copy.power == Power::on ? PowerAction::on : PowerAction::off);
          return {{"found", found == Power::on ? 2 : 1}, {"forced", differs && force}};
        }),
        [this](Node& now, const Outcome& outcome) { compare(now, outcome); });
}

/// Ironic's rule: what we say is forced on the machine a few times; then the machine is right, and out of service.
void PowerWatch::compare(Node& node, const Outcome& outcome) {
  Ledger& ledger = parts_.ledger;
  const int failures = node.internal.value("power_sync_failures", 0);
  if (!outcome.good) {
    node.internal["power_sync_failures"] = failures + 1;
    if (failures + 1 != parts_.settings.power_sync_retries || node.maintenance) return;
    node.maintenance = true;
    node.fault = "power failure";
    node.maintenance_reason =
        cat("During sync_power_state, max retries exceeded for node ", node.uuid, ": ", outcome.error);
    ledger.record(node, "failure", node.maintenance_reason);
    return;
  }
  const Power found = outcome.value["found"] == 2 ? Power::on : Power::off;
  if (node.fault == "power failure") {
    node.maintenance = false;
    node.fault.clear();
    node.maintenance_reason.clear();
    node.power = found;
    node.internal.erase("power_sync_failures");
    ledger.record(node, "power", "the power management answers again; the node is back in service");
    return;
  }
  if (node.power == Power::unknown || found == node.power) {
    node.power = found;
    node.internal.erase("power_sync_failures");
    return;
  }
  if (outcome.value["forced"] == true) {
    node.internal["power_sync_failures"] = failures + 1;
    ledger.record(node, "power",
                  cat("found ", text_of(power_json(found)), "; set to ", text_of(power_json(node.power))));
    return;
  }
  node.internal.erase("power_sync_failures");
  node.power = found;
  node.maintenance = parts_.settings.force_power_state;
  if (node.maintenance) {
    node.fault = "power failure";
    node.maintenance_reason = cat("the machine does not stay as it is set; it is ", text_of(power_json(found)));
  }
  ledger.record(node, node.maintenance ? "failure" : "power",
                cat("found ", text_of(power_json(found)), "; taken over"));
}

}  // namespace hearth::bootstrap
