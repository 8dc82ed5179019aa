// Mounts, for a process in a mount namespace of its own: a private tree is the cleaner when the process dies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth {

enum class Access { read_write, read_only };

/// Bind mounts `source` (a directory with everything below it, or a file) on `target`, which must exist. read_only
/// holds for everything below too (mount_setattr(2), Linux 5.12).
void bind_mount(const fs::path& source, const fs::path& target, Access access);

/// A further mount of the directory or file at `place`, without what is mounted below, for attach_mount(). Nothing
/// where there can't be one (it went away, or is unbindable). Private, where systemd has shared ones: what is mounted
/// on it shows nowhere else, and it can be a root.
[[nodiscard]] Fd clone_mount(const fs::path& place);

/// Ids of the file system are, through this mount, the inner ones of a user namespace: 0 is its root's. To be called
/// before it is attached, by root. Returns false where the kernel (5.12) or the file system can't.
[[nodiscard]] bool shift_ids(const Fd& mount, const Fd& user_namespace);

void attach_mount(const Fd& mount, const fs::path& place);

/// mount(2) with its arguments as given; the Error names type and target.
void mount_file_system(const std::string& type, const std::string& source, const fs::path& target, unsigned long flags,
                       const std::string& options);

/// A path as /proc/mounts and mountinfo write it, where blank, tab, newline and backslash are three octal digits.
[[nodiscard]] std::string without_octal(std::string_view text);

/// Mount points strictly below `directory`, deepest first, from /proc/self/mountinfo's text.
[[nodiscard]] std::vector<std::string> mount_points_below(std::string_view mountinfo, const std::string& directory);

/// Other paths of the file at `path`, without links: those that bind mounts of its file system give it. From
/// /proc/self/mountinfo's text; what lies there may be hidden by a later mount.
[[nodiscard]] std::vector<std::string> other_paths(std::string_view mountinfo, const std::string& path);

/// Detaches every mount below `directory`, deepest first.
void unmount_below(const fs::path& directory);

}  // namespace hearth
