// The ramdisk's clock, before the first certificate is looked at: a machine whose battery is empty believes that it is
// 1970, or what its firmware was made with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/deploy/ground/console.hpp"
#include "base/clock.hpp"

namespace hearth::agent::deploy {

/// A question of SNTP (RFC 4330): 48 bytes. `cookie`, eight bytes that nobody can guess, comes back with the answer.
[[nodiscard]] std::string encode_sntp(std::string_view cookie);
/// What time a server says it is. Nothing for what is no answer to `cookie`, and for servers that do not know
/// themselves.
[[nodiscard]] std::optional<WallTime> parse_sntp(std::string_view bytes, std::string_view cookie);

/// Sets the clock by the first of `servers` (names or addresses) that answers, and says so where it was wrong by more
/// than a second. Where none does, it is at least not before the time at which this program was put into the ramdisk.
void set_clock(const std::vector<std::string>& servers, Clock& clock, Console& console);

}  // namespace hearth::agent::deploy
