// The netascii mode of RFC 1350 (RFC 764's line ends).
#pragma once

#include <string>
#include <string_view>

namespace hearth::pxe::tftp {

/// LF becomes CR LF, a bare CR becomes CR NUL.
[[nodiscard]] std::string to_netascii(std::string_view bytes);

}  // namespace hearth::pxe::tftp
