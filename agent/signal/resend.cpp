#include "agent/signal/resend.hpp"

#include "agent/signal/real_world.hpp"
#include "base/error.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

constexpr Duration k_patience = std::chrono::seconds(10);
constexpr Duration k_whole_patience = std::chrono::seconds(30);  ///< for all of them: the next poll is waiting

class Resender {
 public:
  Resender(const ResendWorld& world, const fs::path& deployed)
      : world_(world),
        journal_(world.files, deployed),
        now_(unix_seconds(world.delivery.clock.wall())),
        end_(Deadline::after(k_whole_patience, world.delivery.clock)) {}

  int run() {
    int pending = 0;
    recover();
    for (const std::string& id : journal_.ids()) {
      try {
        pending += is_left_pending(id) ? 1 : 0;
      } catch (const Error& error) {
        world_.log.error(cat("signal of deployment ", id, ": ", error.what()));
      }
    }
    return pending;
  }

 private:
  void recover() {
    try {
      journal_.recover();
    } catch (const Error& error) {
      world_.log.error(cat("signals that were set aside: ", error.what()));
    }
  }

  bool is_left_pending(const std::string& id) {
    std::optional<SignalRecord> record = journal_.load(id);
    if (!record) return false;
    if (record->state == SignalRecord::State::running && !is_alive(world_.files, record->owner)) {
      if (!journal_.deployment(id, *record)) {  // cut off before the hook began: it may still run
        journal_.forget(id);
        return false;
      }
      record->state = SignalRecord::State::pending;
      record->data = journal_.answer(id).value_or(lost_hook_data());
    }
    if (record->state != SignalRecord::State::pending) return false;
    if (!record->deployment.is_null()) journal_.unmark(id);
    if (!is_due(*record, now_) || end_.passed(world_.delivery.clock.now())) return true;
    attempt(id, *record);
    return record->state == SignalRecord::State::pending;
  }

  void attempt(const std::string& id, SignalRecord& record) {
    const std::optional<Json> deployment = journal_.deployment(id, record);
    const DeliveryResult result = deployment
                                      ? attempt_delivery(*deployment, record.data, world_.delivery, k_patience)
                                      : DeliveryResult{Delivery::refused, "the deployment's description is gone"};
    record_delivery(record, result, now_);
    journal_.settle(id, record);
    if (result.outcome == Delivery::delivered) {
      world_.log.info(cat("signal of deployment ", id, " delivered after all"));
    } else {
      world_.log.warning(cat("signal of deployment ", id,
                             result.outcome == Delivery::later ? " still pending: " : " refused: ", result.reason));
    }
  }

  const ResendWorld& world_;
  SignalJournal journal_;
  std::int64_t now_;
  Deadline end_;
};

}  // namespace

fs::path deployed_lock(const fs::path& deployed) { return cat(deployed.string(), ".lock"); }

int resend_pending_signals(const ResendWorld& world, const fs::path& deployed) {
  return Resender(world, deployed).run();
}

int resend_pending_signals(Logger& log) {
  RealSignalWorld real;
  const Environment env = current_environment();
  const std::string deployed = variable(env, "HEAT_CONFIG_DEPLOYED", k_deployed_directory);
  if (!real.files.status(deployed)) return 0;
  const std::optional<FileLock> only = FileLock::try_acquire(deployed_lock(deployed));
  if (!only) return 0;  // a heat-config that runs now: it has sent them itself
  return resend_pending_signals(ResendWorld{real.files, log, real.delivery()}, deployed);
}

}  // namespace hearth::agent
