// What must not be written down where others read it: names of variables that hold secrets, credentials in URLs. Pure.
#pragma once

#include <string>
#include <string_view>

namespace hearth {

/// Whether a variable or parameter of this name is likely to hold a secret: password, token, key….
[[nodiscard]] bool names_secret(std::string_view name);

/// The text with every URL in it freed of user info, and of the values of query parameters that hold secrets.
[[nodiscard]] std::string without_credentials(std::string_view text);

}  // namespace hearth
