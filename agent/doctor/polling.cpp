#include <algorithm>

#include "agent/doctor/check.hpp"
#include "agent/signal/real_world.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::int64_t k_grace = 120;  ///< seconds that a round itself may take

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() > ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

/// Documents whose last content was not yet applied with success.
std::vector<std::string> unapplied(const fs::path& cache, const FileReader& files) {
  std::vector<std::string> names;
  for (const std::string& name : files.list(cache)) {
    if (!ends_with(name, ".json") || name == "os_config_files.json") continue;
    if (files.read(cache / name) != files.read(cache / cat(name, ".last"))) names.push_back(name);
  }
  return names;
}

}  // namespace

CheckResult check_polling(const CollectSettings& settings, const DoctorWorld& world) {
  CheckResult result{"polling", "Are the metadata polled and applied?", {}, {}};
  const fs::path cache = settings.cache.empty() ? "/var/lib/os-collect-config" : settings.cache;
  std::optional<std::int64_t> newest;
  for (const std::string& name : world.files.list(cache)) {
    if (ends_with(name, ".json")) newest = std::max(newest, world.modified(cache / name));
  }
  if (!newest) {
    result.problems.push_back({cat("there is nothing in ", cache.string(), ": nothing was ever collected"),
                               "look at 'journalctl -u os-collect-config'"});
    return result;
  }
  const std::int64_t age = seconds_of(world.clock.wall()) - *newest;
  if (age > 3 * static_cast<std::int64_t>(settings.polling_interval) + k_grace) {
    result.problems.push_back({cat("the last poll was ", age, " seconds ago"),
                               "the daemon hangs or its command still runs: look at 'ps -ef' and the journal"});
  } else if (age < -k_grace) {
    result.notes.push_back(cat("the last poll lies ", -age, " seconds in the future: the clock was set back"));
  }
  const std::vector<std::string> names = unapplied(cache, world.files);
  if (!names.empty()) {
    result.problems.push_back(
        {cat("not applied yet: ", join(names, ", ")),
         cat("'", settings.command, "' fails or is running: run it by hand and look at its output")});
  }
  return result;
}

}  // namespace hearth::agent
