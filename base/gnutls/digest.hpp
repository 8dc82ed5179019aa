// The digests of GnuTLS, for the sources that hash. (hash.hpp itself stays free of GnuTLS.)
#pragma once

#include <gnutls/gnutls.h>

#include "base/hash.hpp"

namespace hearth {

[[nodiscard]] gnutls_digest_algorithm_t gnutls_digest_of(HashKind kind);

}  // namespace hearth
