// The function digest: any algorithm that Python's hashlib offers by OpenSSL, over the Latin-1 bytes of a text.
#pragma once

#include <string>

namespace hearth::metadata {

/// Lower-case hexadecimal. Throws ValueError for unknown algorithms, UnicodeEncodeError beyond U+00FF.
[[nodiscard]] std::string text_digest(const std::string& algorithm, const std::string& text);

}  // namespace hearth::metadata
