#include <algorithm>

#include "agent/collect/daemon_state.hpp"
#include "agent/doctor/check.hpp"
#include "agent/signal/real_world.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::int64_t k_grace = 120;          ///< seconds that a round itself may take
constexpr std::int64_t k_longest_run = 21600;  ///< a hook alone may take four hours
constexpr std::string_view k_ending = ".json";
constexpr const char* k_hangs = "the daemon hangs: look at 'ps -ef' and the journal, then restart it";

/// What another daemon than ours leaves behind: it writes its documents at each poll.
void judge_by_documents(const CollectSettings& settings, const DoctorWorld& world, CheckResult& result) {
  std::optional<std::int64_t> newest;
  for (const std::string& name : cached_documents(settings.cache, world.files)) {
    newest = std::max(newest, world.modified(settings.cache / name));
  }
  if (!newest) return;
  const std::int64_t age = unix_seconds(world.clock.wall()) - *newest;
  if (age > 3 * static_cast<std::int64_t>(settings.polling_interval) + k_grace) {
    result.problems.push_back({cat("the last poll was ", age, " seconds ago"), k_hangs});
  } else if (age < -k_grace) {
    result.notes.push_back(cat("the last poll lies ", -age, " seconds in the future: the clock was set back"));
  }
}

void judge_by_state(const DaemonState& state, const DoctorWorld& world, CheckResult& result) {
  const std::int64_t now = awake_seconds(world.clock);
  const std::int64_t age = now - state.since;
  switch (state.doing) {
    case DaemonState::Doing::starting:
      result.notes.push_back(cat("the daemon has started ", age, " seconds ago; its splay is not over"));
      return;
    case DaemonState::Doing::polling:
      if (hangs(state, now)) result.problems.push_back({cat("a poll has lasted for ", age, " seconds"), k_hangs});
      return;
    case DaemonState::Doing::running:
      result.notes.push_back(cat("the command has been running for ", age, " seconds"));
      if (age > k_longest_run) {
        result.problems.push_back({cat("the command has been running for ", age, " seconds"),
                                   "see with 'ps -ef' what it waits for, and the logs of the deployments"});
      }
      return;
    case DaemonState::Doing::waiting:
      if (hangs(state, now)) {
        result.problems.push_back({cat("the next poll was due ", now - state.until, " seconds ago"), k_hangs});
      }
      return;
  }
}

}  // namespace

std::vector<std::string> cached_documents(const fs::path& cache, const FileReader& files) {
  std::vector<std::string> names;
  for (const std::string& name : files.list(cache)) {
    if (name.ends_with(k_ending) && name != "os_config_files.json") names.push_back(name);
  }
  return names;
}

std::vector<std::string> unapplied_documents(const fs::path& cache, const FileReader& files) {
  std::vector<std::string> names;
  for (const std::string& name : cached_documents(cache, files)) {
    if (files.read(cache / name) != files.read(cache / cat(name, ".last"))) names.push_back(name);
  }
  return names;
}

CheckResult check_polling(const CollectSettings& settings, const DoctorWorld& world) {
  CheckResult result{"polling", "Are the metadata polled and applied?", {}, {}};
  const std::optional<DaemonState> state = read_daemon_state(settings.backup, world.files);
  state ? judge_by_state(*state, world, result) : judge_by_documents(settings, world, result);
  const bool busy = state && state->doing != DaemonState::Doing::waiting;
  if (cached_documents(settings.cache, world.files).empty() && !busy) {
    result.problems.push_back({cat("there is nothing in ", settings.cache.string(), ": nothing was ever collected"),
                               "look at 'journalctl -u os-collect-config'"});
  }
  const std::vector<std::string> names = unapplied_documents(settings.cache, world.files);
  if (!names.empty() && busy) {
    result.notes.push_back(cat("being applied: ", join(names, ", ")));
  } else if (!names.empty()) {
    result.problems.push_back({cat("not applied yet: ", join(names, ", ")),
                               cat("'", settings.command, "' fails: run it by hand and look at its output")});
  }
  return result;
}

}  // namespace hearth::agent
