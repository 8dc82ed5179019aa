#include "metadata/language/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <string_view>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "metadata/model/fault.hpp"

namespace hearth::metadata {

namespace {

struct Algorithm {
  std::string_view name;  ///< Python's
  const char* openssl;
};

constexpr std::array<Algorithm, 17> k_algorithms{{{"md5", "MD5"},
                                                  {"sha1", "SHA1"},
                                                  {"sha224", "SHA224"},
                                                  {"sha256", "SHA256"},
                                                  {"sha384", "SHA384"},
                                                  {"sha512", "SHA512"},
                                                  {"sha512_224", "SHA512-224"},
                                                  {"sha512_256", "SHA512-256"},
                                                  {"sha3_224", "SHA3-224"},
                                                  {"sha3_256", "SHA3-256"},
                                                  {"sha3_384", "SHA3-384"},
                                                  {"sha3_512", "SHA3-512"},
                                                  {"blake2b", "BLAKE2B512"},
                                                  {"blake2s", "BLAKE2S256"},
                                                  {"md5-sha1", "MD5-SHA1"},
                                                  {"ripemd160", "RIPEMD160"},
                                                  {"sm3", "SM3"}}};

std::string latin1(const std::string& text) {
  std::string bytes;
  std::string_view rest = text;
  while (!rest.empty()) {
    const DecodedCharacter next = decode_utf8(rest);
    if (next.value > 0xff) throw Fault("UnicodeEncodeError", "'latin-1' codec can't encode a character beyond U+00FF");
    bytes.push_back(static_cast<char>(next.value));
    rest.remove_prefix(next.length);
  }
  return bytes;
}

}  // namespace

std::string text_digest(const std::string& algorithm, const std::string& text) {
  const std::string wanted = to_lower(algorithm);
  if (wanted == "shake_128" || wanted == "shake_256") {
    (void)latin1(text);
    throw type_fault("hexdigest() missing required argument 'length' (pos 1)");
  }
  std::vector<std::string> names;
  for (const Algorithm& known : k_algorithms) {
    names.emplace_back(known.name);
    if (known.name != wanted) continue;
    const std::string bytes = latin1(text);
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned length = 0;
    const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> method(EVP_MD_fetch(nullptr, known.openssl, nullptr),
                                                                 EVP_MD_free);
    if (!method || EVP_Digest(bytes.data(), bytes.size(), out.data(), &length, method.get(), nullptr) != 1) {
      throw value_fault(cat("this OpenSSL does not offer ", wanted));
    }
    std::string hex;
    for (unsigned i = 0; i < length; ++i) {
      hex.push_back("0123456789abcdef"[out[i] >> 4U]);
      hex.push_back("0123456789abcdef"[out[i] & 15U]);
    }
    return hex;
  }
  throw value_fault(cat("Algorithm must be one of {'", join(names, "', '"), "'}")).suggest(algorithm, names);
}

}  // namespace hearth::metadata
