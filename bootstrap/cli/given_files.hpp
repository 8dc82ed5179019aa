// Files that people name for a machine: public keys, and what its first boot reads. They are looked at before they are
// sent: a private key in a public one's place would be kept, shown and handed to machines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::bootstrap {

/// The public keys in `text`, as OpenSSH writes them: "TYPE BASE64 [COMMENT]" a line, options before it as in
/// authorized_keys; empty lines and comments are passed over. `file` is for what is told. Throws where a line is none,
/// and where there is none at all.
[[nodiscard]] std::vector<std::string> public_keys_in(std::string_view text, const std::string& file);

/// User-data, which goes as text. Throws where no first boot reads it, and where it is empty or a private key.
[[nodiscard]] std::string user_data_in(std::string text, const std::string& file);

/// Whether a text is a config drive that is one already: where it is fetched, or its bytes in base64, which are many.
[[nodiscard]] bool is_packed_drive(const std::string& text);

/// Throws at the first line that is no UTF-8, without telling it: it may hold a password.
void require_utf8(std::string_view text, const std::string& file);

}  // namespace hearth::bootstrap
