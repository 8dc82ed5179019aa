// What a machine says of all builds on it, in /etc/hearth.conf and its user's ~/.config/hearth/hearth.conf: where the
// cache is that it shares with others, with its credentials, and where its own is. None of that is a matter of a file
// of images, which is committed and read by everyone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/path.hpp"
#include "base/result.hpp"

namespace hearth::builder {

struct MachineSettings {
  Environment variables;          ///< what each key stands for: HEARTH_REMOTE_CACHE…
  std::vector<fs::path> secrets;  ///< files that hold a password
};

/// Of one file: "key = value" a line, "#" in front of a comment. Nothing of a value is in an error. `home`: what "~/"
/// stands for.
[[nodiscard]] Result<Environment> parse_machine_settings(std::string_view text, const std::string& source,
                                                         const fs::path& home);

/// What the files say, the user's before the machine's; HEARTH_CONFIG names one in place of both, or none. Throws
/// Error(input) for what is wrong in a file, and for one that others than root and the user decide about, or that holds
/// a password and is read by all.
[[nodiscard]] MachineSettings machine_settings(const Environment& caller);

/// A variable by which a machine says where it shares layers: no file of images may set it.
[[nodiscard]] bool is_of_machine(std::string_view variable);

}  // namespace hearth::builder
