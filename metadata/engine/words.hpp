// Heat's own words for what stacks and resources do and how it stands with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearth::metadata::live {

enum class Action : std::uint8_t { init, create, update, erase, rollback, suspend, resume, check, adopt };
enum class Status : std::uint8_t { in_progress, complete, failed };

[[nodiscard]] std::string_view word(Action action);  ///< "CREATE"; erase is "DELETE"
[[nodiscard]] std::string_view word(Status status);  ///< "IN_PROGRESS"
/// "CREATE_IN_PROGRESS".
[[nodiscard]] std::string status_text(Action action, Status status);
[[nodiscard]] std::optional<Action> parse_action(std::string_view text);
[[nodiscard]] std::optional<Status> parse_status(std::string_view text);
/// "Create", as timeouts are told.
[[nodiscard]] std::string title(Action action);

/// "2026-11-21T00:12:44Z".
[[nodiscard]] std::string iso_time(std::int64_t unix_seconds);

}  // namespace hearth::metadata::live
