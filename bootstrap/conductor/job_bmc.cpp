// The steps of a job that a machine's BMC does (bmc_steps.hpp), round by round.
#include "base/text.hpp"
#include "bootstrap/conductor/bmc_steps.hpp"
#include "bootstrap/conductor/jobs.hpp"

namespace hearth::bootstrap {

Jobs::Step Jobs::bmc_step(Node& node, Stage stage, const Json& step) {
  PowerDriver* driver = parts_.drivers.find(node.driver);
  if (driver == nullptr) throw Error(ErrorKind::unsupported, cat("there is no driver ", node.driver));
  if (text_in(step, "interface") == "raid" && text_in(step, "step") == "apply_configuration")
    node.target_raid_config = step["args"]["raid_config"];
  return start(
      node, stage,
      power_work([driver, copy = node, step, at = node.job.notes.bmc.is_null() ? Json::object() : node.job.notes.bmc,
                  now = parts_.ledger.now(), patience = callback_timeout(node)] {
        return bmc_round_json(bmc_round(*driver, copy, step, at, now, patience));
      }));
}

void Jobs::bmc_step_answered(Node& node, Stage stage, const Outcome& outcome) {
  if (!outcome.good) return retry_or_fail(node, stage, outcome);
  node.job.attempt = 0;
  BmcRound round = bmc_round_from(outcome.value);
  if (!round.news.empty()) parts_.ledger.record(node, "agent", round.news);
  keep_firmware(parts_.ledger, node, round.firmware);
  keep_raid(node, std::move(round.raid), parts_.ledger.now());
  node.job.notes.bmc = std::move(round.at);
  switch (round.then) {
    case BmcRound::Then::go_on: return;
    case BmcRound::Then::wait:
      node.job.retry_at = parts_.ledger.now() + microseconds(parts_.settings.poll_interval);
      return;
    case BmcRound::Then::restart: return enter(node, Stage::power_off);
    case BmcRound::Then::done: node.job.notes.bmc = nullptr; return step_done(node, stage);
    case BmcRound::Then::failed: return fail(parts_.ledger, node, round.fault);
  }
}

bool Jobs::is_at_bmc(const Node& node, Stage stage) const {
  return is_steps(stage) && is_bmc_step(node, current_step(stage, node));
}

}  // namespace hearth::bootstrap
