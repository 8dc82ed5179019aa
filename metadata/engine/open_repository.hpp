// Where live stacks are kept, by URL.
#pragma once

#include "base/path.hpp"
#include "metadata/engine/sql_repository.hpp"

namespace hearth::metadata::live {

/// `url`: "postgresql://USER@HOST/NAME"; empty = state.db in `directory`. `keys`: the file of keys by which it is
/// sealed (seal.hpp). Throws Error.
[[nodiscard]] std::unique_ptr<SqlRepository> open_repository(const std::string& url, const fs::path& directory,
                                                             const fs::path& keys);

}  // namespace hearth::metadata::live
