#pragma once

namespace hearth {

/// Whether Python's repr() shows the character as it is (str.isprintable): no control, format, surrogate, private or
/// unassigned code point and no white space but the blank. Python's documentation, str.isprintable; Unicode 14.0.
[[nodiscard]] bool is_printable(char32_t code_point);

}  // namespace hearth
