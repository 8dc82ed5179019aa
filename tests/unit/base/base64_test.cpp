#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(Base64, GoesThereAndBack) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
  for (const std::string text : {"", "f", "fo", "foo", "foob"}) EXPECT_EQ(base64_decode(base64_encode(text)), text);
}

TEST(Base64, ReadsTheAlphabetOfUrlsAndRefusesWhatIsNone) {
  EXPECT_EQ(base64_decode("-_8="), base64_decode("+/8="));
  for (const char* bad : {"Zg", "Z===", "====", "Zg==\n", "Z!==", " Zg=", "ab=c", "Zg==Zg=="})
    EXPECT_FALSE(base64_decode(bad)) << bad;
}

TEST(Base64, IsThatOfRfc4648) {
  const char* plain[] = {"f", "fo", "foo", "foob", "fooba", "foobar"};
  const char* coded[] = {"Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(base64_encode(plain[i]), coded[i]);
    EXPECT_EQ(base64_decode(coded[i]), plain[i]);
  }
  std::string every;
  for (int i = 0; i < 256; ++i) every.push_back(static_cast<char>(i));
  EXPECT_EQ(base64_decode(base64_encode(every)), every);
}

}  // namespace
}  // namespace hearth
