#include "metadata/engine/words.hpp"

#include <array>
#include <ctime>

#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {
constexpr std::array<std::string_view, 9> k_actions = {"INIT",    "CREATE", "UPDATE", "DELETE", "ROLLBACK",
                                                       "SUSPEND", "RESUME", "CHECK",  "ADOPT"};
constexpr std::array<std::string_view, 3> k_statuses = {"IN_PROGRESS", "COMPLETE", "FAILED"};
}  // namespace

std::string_view word(Action action) { return k_actions.at(static_cast<std::size_t>(action)); }
std::string_view word(Status status) { return k_statuses.at(static_cast<std::size_t>(status)); }

std::string status_text(Action action, Status status) { return cat(word(action), "_", word(status)); }

std::optional<Action> parse_action(std::string_view text) {
  for (std::size_t i = 0; i < k_actions.size(); ++i) {
    if (k_actions.at(i) == text) return static_cast<Action>(i);
  }
  return std::nullopt;
}

std::optional<Status> parse_status(std::string_view text) {
  for (std::size_t i = 0; i < k_statuses.size(); ++i) {
    if (k_statuses.at(i) == text) return static_cast<Status>(i);
  }
  return std::nullopt;
}

std::string title(Action action) {
  std::string text = to_lower(word(action));
  text.front() = word(action).front();
  return text;
}

std::string iso_time(std::int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t length = ::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace hearth::metadata::live
