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

TEST(Finding, PasswordsInAddressesAreNotShown) {
  const std::vector<Finding> found = {{"http://u:p@ss@h/x failed.",
                                       {"a https://tok:secret@192.0.2.1:80 b http://c/d@e"},
                                       "see qemu+ssh://root@h/system"}};
  const std::string text = findings_text(found) + findings_json(found).dump();
  EXPECT_EQ(text.find("p@ss"), std::string::npos) << text;
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  EXPECT_NE(text.find("qemu+ssh://root@h/system"), std::string::npos) << text;
  EXPECT_NE(text.find("https://tok:******@192.0.2.1:80 b http://c/d@e"), std::string::npos) << text;
}

}  // namespace
}  // namespace hearth::bootstrap::why
