// Stream sockets that have a path (unix(7)): nobody reaches them who may not reach that file.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth {

/// Listens at `path`, for its owner only; what is left of one that has ended is replaced. A path may be of any length,
/// its last part of 80 bytes. Throws Error.
[[nodiscard]] Fd listen_locally(const fs::path& path);
/// Nothing when nobody listens there. Throws Error when it may not be reached. `waits`: until who listens has room for
/// one more; else that is an Error, too, and the socket never waits.
[[nodiscard]] std::optional<Fd> connect_locally(const fs::path& path, bool waits = true);
/// Whose the process at the other end was when it connected: the kernel says so, not he (SO_PEERCRED).
[[nodiscard]] std::optional<uid_t> user_behind(int socket);
/// Likewise which process it is, or was: of a socket that was connected to, who listens there.
[[nodiscard]] std::optional<pid_t> process_behind(int socket);

}  // namespace hearth
