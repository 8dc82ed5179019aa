// What a machine that this conductor runs itself (driver qemu) says on its serial console: its file's end, or what has
// come since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap {

/// The console's file of a machine, below the state directory.
[[nodiscard]] fs::path console_file(const fs::path& state, const std::string& uuid);

/// Whether there is one; a link or a pipe is none, wherever it leads.
[[nodiscard]] bool has_console(const fs::path& file);

/// {"from": N, "end": N, "text": …}: at most 64 KiB from `from` on; without it, or where the file is shorter, its end.
/// It begins and ends with whole characters. Nothing where there is no such file.
[[nodiscard]] std::optional<Json> console_part(const fs::path& file, std::optional<std::uint64_t> from);

}  // namespace hearth::bootstrap
