#include "base/gnutls/start.hpp"

#include <gnutls/gnutls.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

int check_gnutls(int result, std::string_view what) {
  if (result < 0) throw Error(ErrorKind::io, cat(what, ": ", ::gnutls_strerror(result)));
  return result;
}

void start_gnutls() {
  static const int started = check_gnutls(::gnutls_global_init(), "setting up GnuTLS");
  static_cast<void>(started);
}

}  // namespace hearth
