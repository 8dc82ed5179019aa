// The digests of OpenSSL, for the sources that hash. (hash.hpp itself stays free of OpenSSL.)
#pragma once

#include <openssl/evp.h>

#include "base/hash.hpp"

namespace hearth {

/// Null when this OpenSSL does not offer it.
[[nodiscard]] const EVP_MD* evp_of(HashKind kind);

}  // namespace hearth
