// Letting a person in: the user "rescue" with a password, and an SSH server. What Ironic's rescue asks for
// (rescue.finalize_rescue of ironic-python-agent).
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent::deploy {

/// A password as crypt(5) hashes it; nothing that could end a field or a line of /etc/shadow.
[[nodiscard]] bool is_password_hash(std::string_view text);

struct RescueFile {
  const char* path;
  std::string content;
  std::uint32_t mode;
};
/// The user has the superuser's number: it is there to repair whatever is on the disks.
[[nodiscard]] std::vector<RescueFile> rescue_files(const std::string& password_hash);

/// The hash in the parameters of the command (`rescue_password`, `hashed`); a plain password is hashed by busybox.
/// Throws Error(input).
[[nodiscard]] std::string rescue_hash(const Json& params, CommandRunner& runner);

/// Makes the user and starts dropbear. Throws Error when the ramdisk has no shell or no SSH server.
void let_in(const std::string& password_hash, FileSystem& files, CommandRunner& runner);

}  // namespace hearth::agent::deploy
