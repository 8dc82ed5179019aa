// What must not be written down where others read it: names of variables that hold secrets, credentials in URLs. Pure.
#pragma once

#include <string>
#include <string_view>

namespace hearth {

/// Whether a variable or parameter of this name is likely to hold a secret: password, token, key….
[[nodiscard]] bool names_secret(std::string_view name);

/// What stands in place of a secret.
inline constexpr std::string_view k_redacted = "REDACTED";

/// A query or a posted form ("a=1&token=x") with `mask` in place of the values of parameters that hold secrets; values
/// that are masked already stay as they are.
[[nodiscard]] std::string without_secret_values(std::string_view query, std::string_view mask = k_redacted);

/// The text with every URL in it freed of user info, and of the values of query parameters that hold secrets.
[[nodiscard]] std::string without_credentials(std::string_view text);

/// What a person may pass on of a log: passwords in URLs (not the users), values behind names that hold secrets
/// ("password: x", "'token': 'x'", "--api-key x", "…?sig=x"), private keys, crypt's hashes and bearers' tokens are
/// "******". What has no name is not known for a secret.
[[nodiscard]] std::string hide_secrets(std::string_view text);

}  // namespace hearth
