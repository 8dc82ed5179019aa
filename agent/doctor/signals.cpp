#include "agent/doctor/check.hpp"
#include "agent/heat_config/runner.hpp"
#include "agent/signal/real_world.hpp"
#include "base/text.hpp"

namespace hearth::agent {

CheckResult check_signals(const Poll& poll, const DoctorWorld& world) {
  CheckResult result{"signals", "Did the results of all deployments reach Heat?", {}, {}};
  const HeatConfigSettings settings = HeatConfigSettings::from(world.env);
  const SignalJournal journal(world.files, settings.deployed);
  const std::int64_t now = unix_seconds(world.clock.wall());
  const std::set<std::string> current = current_deployments(poll, world);
  for (const std::string& id : journal.ids()) {
    const std::optional<SignalRecord> record = journal.load(id);
    if (record && current.count(id) == 0) {  // nobody waits for it
      if (record->state == SignalRecord::State::pending)
        result.notes.push_back(cat("a signal of deployment ", id, ", which the machine has no more, is pending"));
    } else if (!record) {
      result.problems.push_back({cat("the record of deployment ", id, " is damaged"),
                                 cat("remove ", (settings.deployed / cat(id, ".signal")).string())});
    } else if (record->state == SignalRecord::State::pending) {
      const std::int64_t due = record->next_attempt > now ? record->next_attempt - now : 0;
      result.problems.push_back(
          {cat("the signal of deployment ", id, " is pending after ", record->attempts, " attempts: ", record->reason),
           cat("the next attempt is due in ", due,
               " seconds; 55-heat-config --resend-pending makes those that are due")});
    } else if (record->state == SignalRecord::State::refused) {
      result.problems.push_back({cat("the server has refused the signal of deployment ", id, ": ", record->reason),
                                 "the stack is gone, or the deployment was replaced: update the stack"});
    }
  }
  return result;
}

}  // namespace hearth::agent
