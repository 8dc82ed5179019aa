#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/frames/signature.hpp"

namespace hearth::frames {
namespace {

// RFC 8032, section 7.1, test 1, as PKCS #8.
const char* const k_key =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
    "KEY-----\n";

TEST(Signature, AnOwnSignatureHoldsForItsTextOnly) {
  const std::string key = public_key_of(k_key);
  EXPECT_EQ(key, "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  const std::string signature = sign("root", k_key);
  EXPECT_TRUE(verify("root", signature, key));
  EXPECT_FALSE(verify("loot", signature, key));
  EXPECT_FALSE(verify("root", signature.substr(1), key));
  EXPECT_FALSE(verify("root", signature, "00" + key.substr(2)));
  EXPECT_FALSE(verify("root", signature, "not hexadecimal"));
}

TEST(Signature, OtherKeysAreRefused) { EXPECT_THROW(static_cast<void>(sign("root", "no key")), Error); }

}  // namespace
}  // namespace hearth::frames
