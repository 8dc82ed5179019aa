// What a machine of this computer says on its serial console: its file's end, or what has come since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap {

constexpr std::size_t k_console_part = std::size_t{64} * 1024;  ///< bytes that are told at once

/// Whether it is one; a link or a pipe is none, wherever it leads.
[[nodiscard]] bool is_console_file(const fs::path& file);

/// {"from": N, "end": N, "text": …}: at most k_console_part from `from` on; without it, or where the file is shorter,
/// its end. It begins and ends with whole characters. Nothing where there is no such file.
[[nodiscard]] std::optional<Json> console_part(const fs::path& file, std::optional<std::uint64_t> from);

/// The same of what is kept in memory: `kept` begins at `begin` of all that was said.
[[nodiscard]] Json console_part(std::string_view kept, std::uint64_t begin, std::optional<std::uint64_t> from);

}  // namespace hearth::bootstrap
