#include "bootstrap/conductor/callback.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(Callback, aMachineIsCalledWhereItComesFrom) {
  EXPECT_EQ(callback_fault("http://192.0.2.9:9999", "192.0.2.9"), "");
  EXPECT_EQ(callback_fault("https://192.0.2.9:9999/", "::ffff:192.0.2.9"), "");
  EXPECT_EQ(callback_fault("https://[2001:db8::9]:9999", "2001:db8:0::9"), "");
}

TEST(Callback, neitherElsewhereNorAtAPath) {
  EXPECT_EQ(callback_fault("http://127.0.0.1:6385", "192.0.2.9"), "127.0.0.1 is not where it comes from (192.0.2.9)");
  EXPECT_NE(callback_fault("http://192.0.2.66:9999", "192.0.2.9"), "");
  for (const char* url :
       {"http://192.0.2.9:6385/v1/introspection/rack1-02?x=", "http://192.0.2.9/a", "http://192.0.2.9/?a",
        "http://u@192.0.2.9:9999", "http://localhost:9999", "http://0x7f.1:9999", "file:///etc", "", "x"})
    EXPECT_NE(callback_fault(url, "192.0.2.9"), "") << url;
  EXPECT_NE(callback_fault("http://192.0.2.9:9999", ""), "");
}

}  // namespace
}  // namespace hearth::bootstrap
