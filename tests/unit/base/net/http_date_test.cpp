#include "base/net/http_date.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(HttpDate, IsWrittenAsTheRfcShowsIt) {
  EXPECT_EQ(format_http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date(2147483586), "Tue, 19 Jan 2038 03:13:06 GMT");
}

TEST(HttpDate, IsReadBack) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
}

TEST(HttpDate, OtherTextsAreNoDates) {
  for (const char* bad :
       {"", "now", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"}) {
    EXPECT_FALSE(parse_http_date(bad)) << bad;
  }
}

}  // namespace
}  // namespace hearth
