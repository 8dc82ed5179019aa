#include "bootstrap/why/finding.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap::why {
namespace {

const std::vector<Finding> k_two = {{"It is so.", {"one\ntwo"}, "do this"}, {"And so.", {}, ""}};

TEST(Finding, TextHasTheFirstInFrontAndOthersBehindIt) {
  EXPECT_EQ(findings_text(k_two), "It is so.\n  seen: one\n        two\n  next: do this\n\nbesides: And so.\n");
}

TEST(Finding, Json) {
  EXPECT_EQ(findings_json(k_two)[0], Json({{"cause", "It is so."}, {"evidence", {"one\ntwo"}}, {"next", "do this"}}));
}

}  // namespace
}  // namespace hearth::bootstrap::why
