#include "base/sys/random.hpp"

#include <sys/random.h>

#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/uuid.hpp"

namespace hearth {

std::string random_bytes(std::size_t count) {
  std::string raw(count, '\0');
  if (::getrandom(raw.data(), raw.size(), 0) != static_cast<ssize_t>(raw.size())) {
    throw Error::from_errno("reading", "random bytes");
  }
  return raw;
}

std::string random_hex(std::size_t bytes) { return to_hex(random_bytes(bytes)); }

std::string random_uuid() {
  std::string hex = random_hex(16);
  hex[12] = '4';
  hex[16] = "89ab"[static_cast<unsigned char>(hex[16]) % 4];
  return with_uuid_dashes(hex);
}

}  // namespace hearth
