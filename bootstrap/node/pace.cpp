#include "bootstrap/node/pace.hpp"

namespace hearth::bootstrap {

void Pace::took(const std::string& part, Duration time, MonotonicTime now, const std::string& what) {
  Part& kept = parts_.try_emplace(part, Part{now, {}, {}}).first->second;
  if (now - kept.since >= k_window) {
    kept.before = now - kept.since >= 2 * k_window ? Lap{} : kept.now;
    kept.now = {};
    kept.since = now;
  }
  if (time >= kept.now.time) kept.now = {time, what};
}

Json Pace::shown(MonotonicTime now) const {
  Json parts = Json::object();
  for (const auto& [name, part] : parts_) {
    if (now - part.since >= 2 * k_window) continue;
    const bool fresh = now - part.since < k_window;
    const Lap& longest = fresh && part.before.time > part.now.time ? part.before : part.now;
    parts[name] = {{"longest", std::chrono::duration<double>(longest.time).count()}};
    if (!longest.what.empty()) parts[name]["what"] = longest.what;
  }
  return parts;
}

}  // namespace hearth::bootstrap
