#include "builder/store/record_signature.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

// Attacks on records are in remote_cache_test.cpp.
TEST(RecordSignature, WithoutKeysNothingIsSignedAndEverythingIsTaken) {
  const SignedRecord plain = sign_record({}, "key", {});
  EXPECT_EQ(plain.signature, "");
  EXPECT_TRUE(is_trusted({}, "key", plain));
  EXPECT_FALSE(is_trusted({"", {std::string(64, '0')}}, "key", plain));
}

}  // namespace
}  // namespace hearth::builder
