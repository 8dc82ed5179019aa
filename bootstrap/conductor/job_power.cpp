// The stages of a job that concern power and boot device.
#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/image_order.hpp"
#include "bootstrap/conductor/jobs.hpp"

namespace hearth::bootstrap {

namespace {

Json power_value(Power power) { return {{"power", power == Power::on ? 2 : 1}}; }

std::string macs_text(const Node& node) {
  std::vector<std::string> macs;
  for (const Port& port : node.ports) macs.push_back(port.address);
  return join(macs, ", ");
}

/// "node web1 (52:54:00:00:00:01, rack 3, slot 7)": what a person needs to find the machine.
std::string place_text(const Node& node) {
  std::vector<std::string> parts;
  if (!node.ports.empty()) parts.push_back(macs_text(node));
  const Json seed = node.extra.value("x_seed", Json::object());
  for (const char* key : {"rack", "slot", "location"}) {
    const std::string value = text_in(seed, key);
    if (!value.empty()) parts.push_back(cat(key, " ", value));
  }
  return cat("node ", node.title(), parts.empty() ? "" : cat(" (", join(parts, ", "), ")"));
}

/// In Ironic's words.
std::string missing_traits(const Node& node) {
  std::vector<std::string> missing;
  for (const Json& trait : node.instance_info.value("traits", Json::array())) {
    if (std::find(node.traits.begin(), node.traits.end(), text_of(trait)) == node.traits.end())
      missing.push_back(text_of(trait));
  }
  if (missing.empty()) return "";
  return cat("Cannot specify instance traits that are not also set on the node. Node ", node.uuid,
             " is missing traits ", join(missing, ", "));
}

/// Each part's first version, the one that it has, and the one that it was given last.
void keep_versions(Ledger& ledger, const Node& node, const Json& parts) {
  if (parts.empty()) return;
  const std::string key = cat("firmware/", node.uuid);
  Json kept = ledger.document(key).value_or(Json::object());
  const Json before = kept;
  const Json now = stamp_json(ledger.now());
  for (const auto& [component, version] : parts.items()) {
    if (!kept.contains(component)) {
      kept[component] = {{"initial_version", version},
                         {"current_version", version},
                         {"last_version_flashed", nullptr},
                         {"created_at", now},
                         {"updated_at", nullptr}};
    }
    Json& row = kept[component];
    if (row["current_version"] == version) continue;
    row["current_version"] = row["last_version_flashed"] = version;
    row["updated_at"] = now;
  }
  if (kept != before) ledger.put_document(key, kept);
}

}  // namespace

Json firmware_json(const Firmware& found) {
  Json settings = Json::object();
  for (const auto& [name, value] : found.settings) settings[name] = value;
  Json parts = Json::object();
  for (const FirmwarePart& part : found.parts) parts[part.component] = part.version;
  return {{"boot_mode", found.boot_mode ? Json(*found.boot_mode) : Json()},
          {"secure_boot", found.secure_boot ? Json(*found.secure_boot) : Json()},
          {"settings", std::move(settings)},
          {"parts", std::move(parts)}};
}

Json told_firmware(PowerDriver& driver, const Node& node) {
  try {
    return firmware_json(driver.firmware(node));
  } catch (const PowerFault&) {  // that it can be switched is what counts
    return {};
  }
}

void keep_firmware(Ledger& ledger, Node& node, const Json& told) {
  if (!told.is_object()) return;
  node.internal["firmware"] = {{"boot_mode", told["boot_mode"]}, {"secure_boot", told["secure_boot"]}};
  const Json& settings = told["settings"];
  if (!settings.empty())
    ledger.put_document(cat("bios/", node.uuid), {{"at", stamp_json(ledger.now())}, {"settings", settings}});
  keep_versions(ledger, node, told.value("parts", Json::object()));
}

Work power_work(std::function<Json()> body) {
  return [body = std::move(body)]() -> Outcome {
    try {
      return {.value = body()};
    } catch (const PowerFault& fault) {
      return {.good = false,
              .passing = fault.passing(),
              .error = fault.what(),
              .unsupported = fault.reason() == PowerFault::Reason::unsupported};
    } catch (const std::exception& error) {
      return {.good = false, .error = error.what()};
    }
  };
}

std::string Jobs::ramdisk_fault(const Node& node, JobKind kind) const {
  const std::optional<std::set<std::string>>& site = parts_.settings.site_ramdisks;
  const bool is_own = kind == JobKind::inspect || kind == JobKind::rescue;
  if (!site || site->contains(std::string(name(is_own ? kind : JobKind::deploy)))) return "";
  const std::string key = cat(name(kind == JobKind::rescue ? kind : JobKind::deploy), "_kernel");
  const std::string kernel = node.info(key);
  if (kernel.find('/') != std::string::npos) return "";
  const std::optional<Json> image =
      kernel.empty() ? std::nullopt : parts_.ledger.store().document(cat("image/", kernel));
  if (image && !text_in(*image, "kernel").empty()) return "";
  return cat(kernel.empty() ? cat("driver_info has no ", key) : cat(key, " ", kernel, " is no image with a kernel"),
             ", so its machine would find nothing to boot; hearth baremetal configure boot --deploy-kernel FILE "
             "--deploy-ramdisk FILE gives it to all nodes");
}

std::vector<std::string> Jobs::faults_of(const Node& node, JobKind kind) const {
  std::vector<std::string> faults;
  if (kind == JobKind::deploy) faults = image_faults(node);
  if (const std::string missing = missing_traits(node); kind == JobKind::deploy && !missing.empty())
    faults.push_back(missing);
  const PowerDriver* driver = parts_.drivers.find(node.driver);
  if (driver == nullptr) {
    faults.push_back(cat("there is no driver ", node.driver));
  } else {
    const std::vector<std::string> missing = driver->missing(node);
    faults.insert(faults.end(), missing.begin(), missing.end());
  }
  return faults;
}

Jobs::Step Jobs::check(Node& node) {
  const std::vector<std::string> faults = faults_of(node, node.job.kind);
  if (faults.empty()) return Step::done;
  fail(parts_.ledger, node, join(faults, "; "));
  return Step::wait;
}

/// A machine whose order is given again, as its BMC has not answered, has its place.
bool Jobs::may_boot_now(const Node& asked) {
  if (asked.job.notes.booting) return true;
  if (!booting_) {
    booting_ = 0;
    for (const Node* node : parts_.ledger.with_job()) *booting_ += node->job.notes.booting ? 1 : 0;
  }
  return *booting_ < parts_.settings.boots_at_once;
}

/// Among those that boot; whoever comes here has asked whether it may.
void Jobs::take_place(Node& node) {
  if (node.job.notes.booting) return;
  node.job.notes.booting = true;
  ++*booting_;
  hearth::check(*booting_ <= parts_.settings.boots_at_once, "no more machines boot at once than may", "booting",
                *booting_, "most", parts_.settings.boots_at_once);
}

Jobs::Step Jobs::power_stage(Node& node, Stage stage) {
  PowerDriver* driver = parts_.drivers.find(node.driver);
  if (driver == nullptr) {
    fail(parts_.ledger, node, cat("there is no driver ", node.driver));
    return Step::wait;
  }
  if (stage == Stage::power_on) take_place(node);
  if (driver->by_hand()) return by_hand(node, stage);
  const Node copy = node;
  const bool persistent = node.info("force_persistent_boot_device") == "Always";
  switch (stage) {
    case Stage::verify:
      if (const auto missing = driver->missing(node); !missing.empty()) {
        fail(parts_.ledger, node, join(missing, "; "));
        return Step::wait;
      }
      return start(node, stage, power_work([driver, copy] {
                     Json found = power_value(driver->state(copy));
                     found["firmware"] = told_firmware(*driver, copy);
                     return found;
                   }));
    case Stage::power_off:
    case Stage::switch_off:
      parts_.off_orders.given(node, parts_.ledger.now());
      return start(node, stage, power_work([driver, copy] {
                     driver->set(copy, PowerAction::off);
                     return power_value(Power::off);
                   }));
    case Stage::power_on:
    case Stage::start_disk:
      return start(node, stage, power_work([driver, copy] {
                     driver->set(copy, PowerAction::on);
                     return power_value(Power::on);
                   }));
    case Stage::boot_network:
    case Stage::boot_disk: {
      const bool disk = stage == Stage::boot_disk;
      const bool never = copy.info("force_persistent_boot_device") == "Never";
      return start(node, stage, power_work([driver, copy, disk, keep = !never && (disk || persistent)] {
                     driver->set_boot_device(copy, disk ? "disk" : "pxe", keep);
                     return Json::object();
                   }));
    }
    case Stage::await_off: {
      const bool force = parts_.ledger.now() - node.job.stage_since > microseconds(parts_.settings.power_off_wait);
      if (force) parts_.off_orders.given(node, parts_.ledger.now());
      return start(node, stage, power_work([driver, copy, force]() -> Json {
                     if (driver->state(copy) == Power::off) return power_value(Power::off);
                     if (!force) return {{"again", true}};
                     driver->set(copy, PowerAction::off);
                     return power_value(Power::off);
                   }));
    }
    default: return Step::done;
  }
}

Jobs::Step Jobs::by_hand(Node& node, Stage stage) {
  Ledger& ledger = parts_.ledger;
  const Seconds time = own_or(node, "manual_time", parts_.settings.instruction_time);
  const auto switched = [&](Power power) {
    if (node.power != power) ledger.record(node, "power", cat(text_of(power_json(power)), " (by hand)"));
    node.power = power;
  };
  switch (stage) {
    case Stage::verify:
      if (node.power == Power::unknown) node.power = Power::off;
      break;
    case Stage::power_on:
      switched(Power::on);
      instruct(ledger, node, "power-on-network",
               cat("Switch ", place_text(node),
                   " off if it is on, set it to boot once from the network (PXE), and switch it on."),
               time);
      break;
    case Stage::start_disk:
      switched(Power::on);
      instruct(ledger, node, "power-on-disk",
               cat("Switch ", place_text(node), " on again: it has switched itself off and boots from its disk now."),
               time);
      break;
    case Stage::power_off:
      switched(Power::off);
      if (node.job.kind == JobKind::undeploy) {
        instruct(ledger, node, "power-off", cat("Switch ", place_text(node), " off: it is no longer in use."), time);
      }
      break;
    case Stage::switch_off:
      switched(Power::off);
      instruct(ledger, node, "power-off", cat("Switch ", place_text(node), " off: the inspection is done."), time);
      break;
    case Stage::await_off:
      switched(Power::off);
      node.observed = Power::off;
      break;
    default: break;
  }
  return Step::done;
}

}  // namespace hearth::bootstrap
