#include "bootstrap/conductor/password_hash.hpp"

#include <crypt.h>

#include <memory>

#include "base/error.hpp"

namespace hearth::bootstrap {

std::string hashed_password(const std::string& password) {
  std::string setting(CRYPT_GENSALT_OUTPUT_SIZE, '\0');
  const auto data = std::make_unique<crypt_data>();
  const char* salt = ::crypt_gensalt_rn("$6$", 0, nullptr, 0, setting.data(), static_cast<int>(setting.size()));
  const char* hash = salt == nullptr ? nullptr : ::crypt_r(password.c_str(), salt, data.get());
  if (hash == nullptr || hash[0] == '*')
    throw Error(ErrorKind::unsupported, "the password can't be hashed by crypt(3)");
  return hash;
}

}  // namespace hearth::bootstrap
