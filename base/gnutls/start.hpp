// What every use of GnuTLS begins with.
#pragma once

#include <string>
#include <string_view>

namespace hearth {

/// GnuTLS would set itself up before main(), in each applet; it is done here, once, by what needs it. Throws Error(io).
void start_gnutls();

/// Throws Error(io) "<what>: <GnuTLS' reason>" when `result` is an error of GnuTLS.
int check_gnutls(int result, std::string_view what);

}  // namespace hearth
