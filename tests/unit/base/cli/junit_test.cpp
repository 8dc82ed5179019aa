#include "base/cli/junit.hpp"

#include <gmock/gmock.h>

namespace hearth::cli {
namespace {

using testing::HasSubstr;
TEST(JunitTest, CountsAndTellsEachCase) {
  const std::string xml =
      junit_xml("web.qcow2",
                {{"port tcp:80", 1.5, JunitCase::Outcome::passed, "", "", "", ""},
                 {"file \"/a\"", 2, JunitCase::Outcome::failed, "check", "<no>", "a\x1b[31m & b\xff", "one\n\x07two"},
                 {"http 80/", 0, JunitCase::Outcome::error, "check", "not asked", "not asked", "GRUB"},
                 {"x", 0, JunitCase::Outcome::skipped, "", "not\nasked", "", ""}},
                3.25);
  EXPECT_THAT(xml, HasSubstr("<testsuites tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"3.250\">"));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"web.qcow2\" name=\"port tcp:80\" time=\"1.500\"/>"));
  EXPECT_THAT(xml, HasSubstr("name=\"file &quot;/a&quot;\" time=\"2.000\">"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"check\" message=\"&lt;no&gt;\">a?[31m &amp; b"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"check\" message=\"not asked\">not asked</error>\n      <system-out>GRUB<"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"not&#10;asked\"/>"));
  EXPECT_THAT(xml, HasSubstr("</failure>\n      <system-out>one\n?two</system-out>\n    </testcase>"));
  EXPECT_EQ(xml.find('\xff'), std::string::npos);
}

}  // namespace
}  // namespace hearth::cli
