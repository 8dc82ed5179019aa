#include "agent/collect/daemon_state.hpp"

#include <algorithm>
#include <array>

#include "agent/signal/journal.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::array<std::string_view, 4> k_doing = {"starting", "polling", "running", "waiting"};

std::optional<DaemonState::Doing> doing_of(const Json& json) {
  const auto* const name = std::find(k_doing.begin(), k_doing.end(), text_member(json, "doing"));
  if (name == k_doing.end()) return std::nullopt;
  return static_cast<DaemonState::Doing>(name - k_doing.begin());
}

std::int64_t seconds_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

constexpr std::int64_t k_longest_poll = 900;  ///< the sources' own patience is shorter
constexpr std::int64_t k_longest_delay = 120;

}  // namespace

bool hangs(const DaemonState& state, std::int64_t now) {
  if (state.doing == DaemonState::Doing::polling) return now - state.since > k_longest_poll;
  return state.doing == DaemonState::Doing::waiting && now - state.until > k_longest_delay;
}

std::string_view doing_name(DaemonState::Doing doing) { return k_doing[static_cast<std::size_t>(doing)]; }

fs::path daemon_state_file(const fs::path& backup) { return cat(backup.string(), ".state"); }

std::optional<DaemonState> read_daemon_state(const fs::path& backup, const FileReader& files) {
  try {
    const std::optional<std::string> text = files.read(daemon_state_file(backup));
    const Result<Json> json = parse_python_json(text.value_or(""), "state");
    const std::optional<DaemonState::Doing> doing = json ? doing_of(*json) : std::nullopt;
    if (!doing) return std::nullopt;
    const auto owner = json->find("owner");
    DaemonState state{*doing, seconds_in(*json, "since"), seconds_in(*json, "until"), ""};
    if (owner != json->end() && owner->is_string()) state.owner = owner->get<std::string>();
    return is_alive(files, state.owner) ? std::optional(state) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void DaemonStateFile::tell(DaemonState::Doing doing, std::int64_t seconds) noexcept {
  try {
    const std::int64_t now = awake_seconds(clock_);
    Json json;
    json["doing"] = std::string(doing_name(doing));
    json["since"] = now;
    if (doing == DaemonState::Doing::waiting) json["until"] = now + seconds;
    json["owner"] = owner_;
    files_.write(path_, cat(python_json(json), "\n"), {.mode = 0644});
  } catch (const std::exception&) {
    return;
  }
}

std::int64_t awake_seconds(const Clock& clock) {
  return std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()).count();
}

}  // namespace hearth::agent
