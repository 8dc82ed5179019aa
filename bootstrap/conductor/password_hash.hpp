// Passwords as they are kept and sent: hashed, never plain.
#pragma once

#include <string>

namespace hearth::bootstrap {

/// SHA-512 with a salt of its own, as crypt(5) writes it ("$6$…").
[[nodiscard]] std::string hashed_password(const std::string& password);

}  // namespace hearth::bootstrap
