// The steps of a job that a machine's BMC does: its BIOS settings, as Ironic's redfish BIOS interface. They are asked
// for, the machine starts the ramdisk anew, which is what makes them hold, and then they are looked at.
#include "base/text.hpp"
#include "bootstrap/conductor/deploy_steps.hpp"
#include "bootstrap/conductor/jobs.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_asked_for = "bios";  ///< in the job's notes: the machine has been restarted for this step

/// What is not as it was wished.
Json not_updated(const Json& wishes, const Json& told) {
  const Json& settings = object_member(told, "settings");
  Json left = Json::object();
  for (const auto& [name, value] : wishes.items()) {
    if (member_or_null(settings, name) != value) left[name] = value;
  }
  return left;
}

}  // namespace

Jobs::Step Jobs::bmc_step(Node& node, Stage stage, const Json& step) {
  PowerDriver* driver = parts_.drivers.find(node.driver);
  if (driver == nullptr) throw Error(ErrorKind::unsupported, cat("there is no driver ", node.driver));
  const Node copy = node;
  if (node.job.notes.contains(k_asked_for))
    return start(node, stage, power_work([driver, copy] { return firmware_json(driver->firmware(copy)); }));
  return start(node, stage, power_work([driver, copy, wishes = bios_wishes(step)] {
                 wishes.empty() ? driver->reset_bios(copy) : driver->set_bios(copy, wishes);
                 return Json();
               }));
}

void Jobs::bmc_step_answered(Node& node, Stage stage, const Json& step, const Outcome& outcome) {
  if (!outcome.good) return retry_or_fail(node, stage, outcome);
  if (!node.job.notes.contains(k_asked_for)) {
    node.job.notes[k_asked_for] = true;
    parts_.ledger.record(
        node, "agent", cat("step ", text_in(step, "step"), ": its BIOS was told; the machine starts anew to take it"));
    return enter(node, Stage::power_off);
  }
  node.job.notes.erase(k_asked_for);
  keep_firmware(parts_.ledger, node, outcome.value);
  const Json left = not_updated(bios_wishes(step), outcome.value);
  if (left.empty()) return step_done(node, stage);
  fail(parts_.ledger, node,
       cat("Redfish BIOS apply_configuration step failed. Attributes ", format_json(left), " are not updated."));
}

}  // namespace hearth::bootstrap
