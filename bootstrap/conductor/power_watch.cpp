#include "bootstrap/conductor/power_watch.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

bool is_off(PowerAction action) { return action == PowerAction::off || action == PowerAction::soft_off; }
bool is_reboot(PowerAction action) { return action == PowerAction::reboot || action == PowerAction::soft_reboot; }

/// So many BMCs at most are asked at once by the regular look: some workers are there for what people and jobs want.
constexpr std::size_t k_most_looks = 192;
constexpr Seconds k_order_holds{600};  ///< what was ordered longer ago, before a restart, nobody counts on

constexpr const char* k_sync_failures = "power_sync_failures";

/// What was answered meanwhile is another machine's, maybe, and says nothing of this one.
bool is_managed_otherwise(const Node& now, const Node& asked) {
  return now.driver != asked.driver || now.driver_info != asked.driver_info;
}

Power found_power(const Outcome& outcome) { return outcome.value["found"] == 2 ? Power::on : Power::off; }

/// What a look found is as it was, and nothing is to be taken back: the node is not written, nor told anew, each
/// minute.
bool is_no_news(const Node& node, const Outcome& outcome) {
  return outcome.good && found_power(outcome) == node.power && node.fault != "power failure" &&
         !node.internal.contains(k_sync_failures) && !node.internal.contains(k_switching_off) &&
         !node.last_error.starts_with(k_other_refuses);
}

bool is_asked_softly(const Node& node) { return node.internal.contains(k_soft_power); }

}  // namespace

PowerWatch::PowerWatch(Jobs::Parts parts) : parts_(std::move(parts)) {
  for (const auto& [uuid, node] : parts_.ledger.nodes()) {
    if (is_asked_softly(node)) soft_[uuid] = 0;
  }
}

PowerDriver& PowerWatch::driver_of_free(const Node& node) const {
  PowerDriver* driver = parts_.drivers.find(node.driver);
  if (driver == nullptr) throw Refusal(400, cat("there is no driver ", node.driver));
  check_is_ours(node);
  if (parts_.busy.contains(node.uuid)) throw locked(node);
  return *driver;
}

Refusal PowerWatch::locked(const Node& node) const {
  return {409, cat("Node ", node.title(), " is locked by host ", parts_.settings.host,
                   ", please retry after the current operation is completed.")};
}

void PowerWatch::request(Node& node, PowerAction action, Seconds patience) {
  Ledger& ledger = parts_.ledger;
  PowerDriver* driver = &driver_of_free(node);
  if (node.job.running() && !driver->by_hand()) throw locked(node);  // its power is the job's
  if (driver->by_hand() && node.job.running() && !node.instruction.action.empty()) {
    throw Refusal(
        409, cat("Node ", node.title(), " has no BMC, and a person is to do this for its ", name(node.job.kind), ": ",
                 node.instruction.text, " When it is done: hearth node todo ", node.title(), " --done"));
  }
  if (driver->by_hand()) {
    const std::string word = is_off(action) ? "off" : is_reboot(action) ? "off and on again" : "on";
    const std::string task = is_off(action) ? "power-off" : is_reboot(action) ? "reset" : "power-on-disk";
    node.power = is_off(action) ? Power::off : Power::on;
    instruct(ledger, node, task, cat("Switch node ", node.title(), " ", word, "."), parts_.settings.instruction_time);
    return;
  }
  forget_power_wishes(node);  // a later wish is the one that counts
  soft_.erase(node.uuid);
  // What failed before is past, except where it says why the node is in its state.
  if (kind_of(node.state) == StateKind::stable && node.state != State::enroll && node.state != State::error)
    node.last_error.clear();
  ledger.record(node, "power", cat(name(action), " was asked for"));
  if (is_soft(action)) return ask_softly(node, *driver, action, patience);
  order(node, *driver, action, [this, action](Node& now, const Outcome& outcome) { ordered(now, action, outcome); });
}

/// It is kept before it is given: who comes after a conductor that was killed goes on with it (go_on_with()).
void PowerWatch::order(Node& node, PowerDriver& driver, PowerAction action,
                       std::function<void(Node&, const Outcome&)> then) {
  node.target_power = name(action);
  node.internal[k_ordered] = parts_.ledger.now();
  if (!is_off(action) && awaits_stray(node)) return;  // look() comes back to it
  if (is_off(action) || is_reboot(action)) parts_.off_orders.given(node, parts_.ledger.now());
  const Node copy = node;
  start(node, power_work([&driver, copy, action] {
          driver.set(copy, action);
          return Json();
        }),
        [then = std::move(then)](Node& now, const Outcome& outcome) {
          now.target_power.clear();
          now.internal.erase(k_ordered);
          now.internal.erase(k_waits_until);
          then(now, outcome);
        });
}

void PowerWatch::ordered(Node& node, PowerAction action, const Outcome& outcome) {
  if (outcome.good) return switched(node, is_off(action) ? Power::off : Power::on);
  if (!node.job.running()) node.last_error = outcome.error;
  parts_.ledger.record(node, "failure", cat("power: ", outcome.error));
}

bool PowerWatch::awaits_stray(const Node& node) {
  const Stamp until = parts_.off_orders.stray_until(node, parts_.ledger.now());
  if (until == 0 || node.internal.value(k_waits_until, Stamp{0}) == until) return until != 0;
  Node& told = parts_.ledger.edit(node.uuid);
  told.internal[k_waits_until] = until;
  parts_.ledger.record(told, "power", OffOrders::why_it_waits(until));
  return true;
}

/// Nothing of this process is under way for the node, and yet something was ordered: it was held, or a conductor that
/// was killed has ordered it.
void PowerWatch::go_on_with(const Node& known) {
  PowerDriver* driver = parts_.drivers.find(known.driver);
  const std::optional<PowerAction> action = parse_power_action(known.target_power);
  const Stamp at = known.internal.value(k_ordered, Stamp{0});
  if (action && !is_off(*action) && awaits_stray(known)) return;
  Node& node = parts_.ledger.edit(known.uuid);
  if (driver != nullptr && !driver->by_hand() && action && parts_.ledger.now() - at < microseconds(k_order_holds))
    return order(node, *driver, *action,
                 [this, action = *action](Node& now, const Outcome& outcome) { ordered(now, action, outcome); });
  forget_power_wishes(node);
  node.last_error = "Pending power operation was aborted due to conductor restart";  // Ironic's words
  parts_.ledger.record(node, "failure", node.last_error);
}

void PowerWatch::switched(Node& node, Power power) {
  node.power = power;
  node.internal["last_power_state_change"] = stamp_json(parts_.ledger.now());
  parts_.ledger.record(node, "power", text_of(power_json(power)));
}

void PowerWatch::ask_softly(Node& node, PowerDriver& driver, PowerAction action, Seconds patience) {
  node.target_power = name(action);
  node.internal[k_soft_power] = {{"until", parts_.ledger.now() + microseconds(patience)},
                                 {"then_on", is_reboot(action)}};
  soft_[node.uuid] = parts_.ledger.now() + microseconds(Seconds(1));
  parts_.off_orders.given(node, parts_.ledger.now());
  const Node copy = node;
  start(node, power_work([&driver, copy] {
          driver.set(copy, PowerAction::soft_off);
          return Json();
        }),
        [this](Node& now, const Outcome& outcome) {
          if (!outcome.good) soft_done(now, outcome);
        });
}

void PowerWatch::look_at_soft() {
  const Stamp now = parts_.ledger.now();
  std::vector<std::string> due;
  for (auto& [uuid, next] : soft_) {
    if (next > now || parts_.busy.contains(uuid)) continue;
    next = now + microseconds(Seconds(2));
    due.push_back(uuid);
  }
  for (const std::string& uuid : due) {
    const Node* node = parts_.ledger.by_uuid(uuid);
    PowerDriver* driver = node == nullptr ? nullptr : parts_.drivers.find(node->driver);
    if (driver == nullptr || !is_asked_softly(*node)) {
      soft_.erase(uuid);
    } else {
      follow_soft(*node, *driver);
    }
  }
}

void PowerWatch::follow_soft(const Node& node, PowerDriver& driver) {
  const Json wish = node.internal[k_soft_power];
  const bool late = parts_.ledger.now() >= wish.value("until", Stamp{0});
  const bool then_on = wish.value("then_on", false);
  if (then_on && awaits_stray(node)) return;
  if (late) parts_.off_orders.given(parts_.ledger.edit(node.uuid), parts_.ledger.now());
  const Node copy = node;
  start(node, power_work([&driver, copy, late, then_on]() -> Json {
          const bool off = driver.state(copy) == Power::off;
          if (!off && !late) return {{"again", true}};
          if (!off) driver.set(copy, PowerAction::off);
          if (then_on) driver.set(copy, PowerAction::on);
          return {{"forced", !off}, {"on", then_on}};
        }),
        [this](Node& now, const Outcome& outcome) { soft_done(now, outcome); });
}

void PowerWatch::soft_done(Node& node, const Outcome& outcome) {
  if (!is_asked_softly(node)) return;
  if (outcome.good && outcome.value.value("again", false)) return;
  const bool late = parts_.ledger.now() >= node.internal[k_soft_power].value("until", Stamp{0});
  if (!outcome.good && outcome.passing && !late) return;  // it is looked at again
  node.internal.erase(k_soft_power);
  node.internal.erase(k_waits_until);
  node.target_power.clear();
  soft_.erase(node.uuid);
  if (!outcome.good) {
    node.last_error = outcome.error;
    parts_.ledger.record(node, "failure", cat("power: ", outcome.error));
    return;
  }
  if (outcome.value.value("forced", false))
    parts_.ledger.record(node, "power", "its system did not go off in time; it was switched off");
  switched(node, outcome.value.value("on", false) ? Power::on : Power::off);
}

void PowerWatch::ask_boot_device(const Node& node, Answered answered) {
  PowerDriver& driver = driver_of_free(node);
  const Node copy = node;
  start(node, power_work([&driver, copy]() -> Json {
          const BootDevice known{copy.boot_device, copy.boot_device_persistent};
          const BootDevice found = driver.boot_device(copy).value_or(known);
          if (found.device.empty()) return {{"boot_device", nullptr}, {"persistent", nullptr}};
          return {{"boot_device", found.device}, {"persistent", found.persistent}};
        }),
        [answered = std::move(answered)](Node&, const Outcome& outcome) {
          if (answered) answered(outcome);
        });
}

bool PowerWatch::try_management(Node& node) {
  PowerDriver* driver = parts_.drivers.find(node.driver);
  const bool asks = driver != nullptr && !driver->by_hand() && node.state != State::enroll && !node.job.running();
  if (!asks || !given_to(node).empty()) return false;
  node.power = Power::unknown;
  node.internal.erase(k_sync_failures);
  if (kind_of(node.state) == StateKind::stable || node.last_error.starts_with(k_other_refuses)) node.last_error.clear();
  if (parts_.busy.contains(node.uuid)) {
    to_try_.insert(node.uuid);
    return true;
  }
  const Node copy = node;
  start(node, power_work([driver, copy]() -> Json {
          return {{"found", driver->state(copy) == Power::on ? 2 : 1}};
        }),
        [this, asked = copy](Node& now, const Outcome& outcome) {
          if (is_managed_otherwise(now, asked)) return;
          if (outcome.good || now.job.running()) return compare(now, outcome);
          now.last_error = cat(k_other_refuses, outcome.error);
          parts_.ledger.record(now, "failure", now.last_error);
        });
  return true;
}

void PowerWatch::set_boot_device(Node& node, const std::string& device, bool persistent, Answered answered) {
  PowerDriver& driver = driver_of_free(node);
  const std::vector<std::string> devices = driver.boot_devices();
  if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
    throw Refusal(400, cat("Invalid boot device ", device, " specified. Supported are: ", join(devices, ", ")));
  }
  const Node copy = node;
  start(node, power_work([&driver, copy, device, persistent] {
          driver.set_boot_device(copy, device, persistent);
          return Json();
        }),
        [this, device, persistent, answered = std::move(answered)](Node& now, const Outcome& outcome) {
          if (outcome.good) {
            now.boot_device = device;
            now.boot_device_persistent = persistent;
          } else {
            now.last_error = outcome.error;
            parts_.ledger.record(now, "failure", cat("boot device: ", outcome.error));
          }
          if (answered) answered(outcome);
        });
}

void PowerWatch::inject_nmi(Node& node, Answered answered) {
  PowerDriver& driver = driver_of_free(node);
  const Node copy = node;
  start(node, power_work([&driver, copy] {
          driver.inject_nmi(copy);
          return Json();
        }),
        [this, answered = std::move(answered)](Node& now, const Outcome& outcome) {
          parts_.ledger.record(now, outcome.good ? "power" : "failure",
                               outcome.good ? "it was sent a non-maskable interrupt" : cat("NMI: ", outcome.error));
          if (answered) answered(outcome);
        });
}

void PowerWatch::set_boot_mode(Node& node, const std::string& mode) {
  change_firmware(node, cat("boot mode to '", mode, "'"),
                  [mode](PowerDriver& driver, const Node& of) { driver.set_boot_mode(of, mode); });
}

void PowerWatch::set_secure_boot(Node& node, bool on) {
  change_firmware(node, cat("secure_boot state to '", on ? "True" : "False", "'"),
                  [on](PowerDriver& driver, const Node& of) { driver.set_secure_boot(of, on); });
}

void PowerWatch::change_firmware(Node& node, const std::string& what,
                                 std::function<void(PowerDriver&, const Node&)> change) {
  PowerDriver& driver = driver_of_free(node);
  node.last_error.clear();
  const Node copy = node;
  start(node, power_work([&driver, copy, change = std::move(change)] {
          change(driver, copy);
          return told_firmware(driver, copy);
        }),
        [this, what](Node& now, const Outcome& outcome) {
          if (outcome.good) {
            keep_firmware(parts_.ledger, now, outcome.value);
            parts_.ledger.record(now, "power", cat("changed ", what, ", from its next start on"));
            return;
          }
          now.last_error = cat("Failed to change ", what, ": ", outcome.error);
          parts_.ledger.record(now, "failure", now.last_error);
        });
}

void PowerWatch::start(const Node& node, Work work, std::function<void(Node&, const Outcome&)> then) {
  const bool is_only = parts_.busy.try_emplace(node.uuid, parts_.ledger.now()).second;
  hearth::check(is_only, "a management is asked one thing at a time", "node", node.uuid);
  pending_.push_back({node.uuid, std::move(work), std::move(then), false, 0});
}

void PowerWatch::dispatch() {
  std::vector<Pending> pending = std::exchange(pending_, {});
  for (Pending& one : pending) {
    hearth::check(parts_.ledger.is_committed(), "a management is asked when what asks is durable", "node", one.uuid);
    if (one.number == 0) one.number = parts_.ledger.store().written();
    if (one.number > parts_.ledger.store().kept()) {
      pending_.push_back(std::move(one));
      continue;
    }
    parts_.workers.submit(std::move(one.work),
                          [this, uuid = one.uuid, then = one.then, routine = one.routine](const Outcome& outcome) {
                            const bool was_busy = parts_.busy.erase(uuid) == 1;
                            hearth::check(was_busy, "a management that answers was asked", "node", uuid);
                            if (routine) look_ended(outcome.good);
                            const Node* const known = parts_.ledger.by_uuid(uuid);
                            if (known == nullptr || (routine && is_no_news(*known, outcome))) return;
                            Node& node = parts_.ledger.edit(uuid);
                            parts_.off_orders.answered(node, parts_.ledger.now());
                            then(node, outcome);
                          });
  }
}

void PowerWatch::drop_pending() {
  std::erase_if(pending_, [this](const Pending& one) {
    if (one.number != 0) return false;
    parts_.busy.erase(one.uuid);
    if (one.routine) look_ended(true);
    return true;
  });
}

void PowerWatch::look_ended(bool answered) {
  hearth::check(looking_ > 0, "a look that ends had begun");
  --looking_;
  ++(answered ? round_.answered : round_.silent);
}

/// BMCs that answer are asked more of at a time where a round takes longer than it may. Where more of them are silent
/// than in the round before, or many are, it may be that they can't do so much, or each holds a worker: fewer.
void PowerWatch::round_ended(Stamp took) {
  const std::size_t looks = round_.answered + round_.silent;
  const bool silenced = round_.silent > round_.silent_before + looks / 20 || round_.silent > looks / 10;
  const Stamp time = microseconds(parts_.settings.power_sync_interval);
  if (silenced || took < time / 4) looks_at_once_ = std::max(k_few_looks, looks_at_once_ / 2);
  if (!silenced && took > time) looks_at_once_ = std::min(k_most_looks, looks_at_once_ * 2);
  round_ = {.silent_before = round_.silent};
}

void PowerWatch::look() {
  const Stamp now = parts_.ledger.now();
  for (const Node* node : parts_.ledger.to_be_switched()) {
    if (!node->instruction.action.empty()) remind(*node);
    if (node->internal.contains(k_power_off_wanted) && !parts_.busy.contains(node->uuid))
      switch_off_failed(parts_.ledger.edit(node->uuid));
    if (!node->target_power.empty() && !is_asked_softly(*node) && !parts_.busy.contains(node->uuid)) go_on_with(*node);
  }
  for (const std::string& uuid : std::exchange(to_try_, {})) {
    if (const Node* node = parts_.ledger.by_uuid(uuid); node != nullptr) try_management(parts_.ledger.edit(uuid));
  }
  look_at_soft();
  look_at_due();
  if (round_.began != 0 && due_.empty() && looking_ == 0) round_ended(now - round_.began);
  if (now < next_ || parts_.settings.power_sync_interval.count() == 0) return;
  const bool first = next_ == 0;
  next_ = now + microseconds(parts_.settings.power_sync_interval);
  if (first || !due_.empty()) return;  // BMCs so slow that a round takes longer have it longer
  round_.began = now;
  for (const auto& [uuid, node] : parts_.ledger.nodes()) due_.push_back(uuid);
  look_at_due();
}

void PowerWatch::switch_off_failed(Node& node) {
  PowerDriver* driver = parts_.drivers.find(node.driver);
  if (!parts_.settings.power_off_after_deploy_failure || driver == nullptr || driver->by_hand()) {
    node.internal.erase(k_power_off_wanted);
    return;
  }
  if (node.internal[k_power_off_wanted].value("at", Stamp{0}) > parts_.ledger.now()) return;
  parts_.off_orders.given(node, parts_.ledger.now());
  const Node copy = node;
  start(node, power_work([driver, copy] {
          driver->set(copy, PowerAction::off);
          return Json();
        }),
        [this](Node& now, const Outcome& outcome) { failed_is_off(now, outcome); });
}

/// The error of the deployment stays the node's, whatever becomes of this.
void PowerWatch::failed_is_off(Node& node, const Outcome& outcome) {
  if (!node.internal.contains(k_power_off_wanted)) {  // a job has begun meanwhile
    if (outcome.good) switched(node, Power::off);
    return;
  }
  Json& wanted = node.internal[k_power_off_wanted];
  const int tries = wanted.value("tries", 0) + 1;
  if (!outcome.good && outcome.passing && tries <= parts_.settings.retries) {
    wanted = {{"tries", tries}, {"at", parts_.ledger.now() + microseconds(parts_.settings.retry_interval * tries)}};
    return;
  }
  node.internal.erase(k_power_off_wanted);
  if (outcome.good) return switched(node, Power::off);
  parts_.ledger.record(node, "failure",
                       cat("its deployment has failed, and the machine could not be switched off: ", outcome.error));
}

bool PowerWatch::is_to_be_looked_at(const Node& node) const {
  const PowerDriver* driver = parts_.drivers.find(node.driver);
  const bool ours = !node.maintenance || node.fault == "power failure";
  return driver != nullptr && !driver->by_hand() && ours && given_to(node).empty() && !node.job.running() &&
         node.state != State::enroll && node.target_power.empty() && !parts_.busy.contains(node.uuid);
}

/// A node is busy only from when its turn comes.
void PowerWatch::look_at_due() {
  while (looking_ < looks_at_once_ && !due_.empty()) {
    const Node* node = parts_.ledger.by_uuid(due_.front());
    due_.pop_front();
    if (node == nullptr || !is_to_be_looked_at(*node)) continue;
    look_at(*node, *parts_.drivers.find(node->driver));
    pending_.back().routine = true;
    ++looking_;
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

/// It only looks. What follows from it is decided when it is known (compare()), by how the node is then.
void PowerWatch::look_at(const Node& node, PowerDriver& driver) {
  const Node copy = node;
  start(node, power_work([&driver, copy]() -> Json {
          return {{"found", driver.state(copy) == Power::on ? 2 : 1}};
        }),
        [this, asked = copy](Node& now, const Outcome& outcome) {
          if (!is_managed_otherwise(now, asked)) compare(now, outcome);
        });
}

void PowerWatch::not_answered(Node& node, const std::string& error) {
  const int failures = node.internal.value(k_sync_failures, 0) + 1;
  node.internal[k_sync_failures] = failures;
  if (failures != parts_.settings.power_sync_retries || node.maintenance) return;
  node.maintenance = true;
  node.fault = "power failure";
  node.maintenance_reason = cat("During sync_power_state, max retries exceeded for node ", node.uuid, ": ", error);
  parts_.ledger.record(node, "failure", node.maintenance_reason);
}

void PowerWatch::set_right(Node& node, Power found) {
  const PowerAction action = node.power == Power::on ? PowerAction::on : PowerAction::off;
  order(node, *parts_.drivers.find(node.driver), action, [this, found](Node& now, const Outcome& outcome) {
    if (!outcome.good) return not_answered(now, outcome.error);
    now.internal[k_sync_failures] = now.internal.value(k_sync_failures, 0) + 1;
    parts_.ledger.record(now, "power",
                         cat("found ", text_of(power_json(found)), "; set to ", text_of(power_json(now.power))));
  });
}

/// Ironic's rule: what we say is forced on the machine a few times; then the machine is right, and out of service.
void PowerWatch::compare(Node& node, const Outcome& outcome) {
  Ledger& ledger = parts_.ledger;
  if (node.job.running()) return;  // it has begun meanwhile, and the machine is its own
  if (!outcome.good) return not_answered(node, outcome.error);
  if (node.last_error.starts_with(k_other_refuses)) node.last_error.clear();
  const Power found = found_power(outcome);
  if (node.fault == "power failure") {
    node.maintenance = false;
    node.fault.clear();
    node.maintenance_reason.clear();
    node.power = found;
    node.internal.erase(k_sync_failures);
    ledger.record(node, "power", "the power management answers again; the node is back in service");
    return;
  }
  if (node.power == Power::unknown || found == node.power) {
    node.power = found;
    node.internal.erase(k_sync_failures);
    return;
  }
  const bool is_forced = parts_.settings.force_power_state && node.fault.empty() &&
                         node.internal.value(k_sync_failures, 0) < parts_.settings.power_sync_retries;
  if (is_forced && parts_.drivers.find(node.driver) != nullptr) return set_right(node, found);
  node.internal.erase(k_sync_failures);
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
