// What a target's apt is lent while hooks run there: settings, and a program that packages' scripts call in place of
// initramfs-tools' own (elements/.lib/apt), so that a kernel and what else asks for it make one initramfs, not two.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

/// Where hooks in the target find the settings, as APT_CONFIG names them.
inline constexpr const char* k_lent_apt_settings = "/tmp/in_target.d/.apt/apt.conf";

/// Puts it beside the hooks. `library`: Hearth's own shell library.
void lend_apt(const fs::path& library, const fs::path& hooks);

/// Kernel versions whose initramfs is still a placeholder: the trigger that makes the newest one's makes no other, and
/// a hook may go on though its apt failed.
[[nodiscard]] std::vector<std::string> deferred_initramfs(const fs::path& target, const fs::path& hooks);

}  // namespace hearth::builder
