// Package lists as repositories have them: xz, gzip, bzip2, zstd or LZ4, or plain.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hearth::builder {

/// What the bytes are when they are unpacked; nothing when they are damaged, or more than `limit` bytes would come.
[[nodiscard]] std::optional<std::string> unpacked_text(std::string_view bytes,
                                                       std::size_t limit = std::size_t{1} << 30U);

}  // namespace hearth::builder
