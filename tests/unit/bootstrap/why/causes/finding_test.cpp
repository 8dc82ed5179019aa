#include "bootstrap/why/causes/finding.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap::why {
namespace {

const std::vector<Finding> k_two = {{"It is so.", {"one\ntwo"}, "do this"}, {"And so.", {}, ""}};

TEST(Finding, TextHasTheFirstInFrontAndOthersBehindIt) {
  EXPECT_EQ(findings_text(k_two), "It is so.\n  seen: one\n        two\n  next: do this\n\nbesides: And so.\n");
}

TEST(Finding, ATerminalGetsLinesThatItHasRoomFor) {
  const std::string text =
      findings_text({{"It is so, and for long.", {"short", "one two three four\nfive six seven"}, "hearth why more"}});
  EXPECT_EQ(wrapped_findings(text, 0), text);
  EXPECT_EQ(wrapped_findings(text, 20),
            "It is so, and for\n  long.\n"
            "  seen: short\n"
            "  seen: one two\n        three four\n"
            "        five six\n          seven\n"
            "  next: hearth why\n        more\n");
}

TEST(Finding, Json) {
  EXPECT_EQ(findings_json(k_two)[0], Json({{"cause", "It is so."}, {"evidence", {"one\ntwo"}}, {"next", "do this"}}));
}

}  // namespace
}  // namespace hearth::bootstrap::why
