// Files of secrets: only their owner reads them, and they are made once, whole.
#pragma once

#include <string>
#include <string_view>

#include "base/path.hpp"
#include "base/sys/lock.hpp"

namespace hearth {

/// Throws Error(not_found) where there is no such file, and Error(input) where others than its owner can use it.
/// `if_read`: what to do where they may have.
void require_private(const fs::path& file, std::string_view if_read);

/// What is in such a file. Throws as require_private() does, and where it is larger than any file of secrets is.
[[nodiscard]] std::string read_private_file(const fs::path& file, std::string_view if_read);

/// Under its name at once and whole, mode 0600; false when somebody else was first. Durable in both cases. Root gives
/// it to the owner of its directory: a service that is not root has to read it.
[[nodiscard]] bool make_private_file(const fs::path& file, std::string_view text);

/// For who reads such a file and writes another in its place. The directory is locked: it stays, and no file is left
/// that belongs to somebody else. Throws Error that names who holds it.
[[nodiscard]] FileLock lock_private_file(const fs::path& file,
                                         std::chrono::milliseconds patience = std::chrono::seconds(5));

/// Anew. Where the name is a link, the file behind it is written: it may have other names. Root leaves it to whom it
/// belongs, and makes a new one as above.
void rewrite_private_file(const fs::path& file, std::string_view text);

}  // namespace hearth
