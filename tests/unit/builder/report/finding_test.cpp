#include "builder/report/finding.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Finding, IsShownAsCompilersShowTheirs) {
  EXPECT_EQ(finding_text({"e/install.d/1-a", 3, Severity::error, "sete", "no set -e"}),
            "e/install.d/1-a:3: error: no set -e [sete]");
  EXPECT_EQ(finding_text({"e", 0, Severity::warning, "sudo", "why"}), "e: warning: why [sudo]");
  EXPECT_EQ(finding_text({"e/svc-map", 3, Severity::error, "yaml", "why", 7}), "e/svc-map:3:7: error: why [yaml]");
}

TEST(Finding, CommentsSwitchChecksOff) {
  EXPECT_THAT(disabled_checks("#!/bin/bash\n# dib-lint: disable=sete setu\n# dib-lint: disable=which\n"),
              ElementsAre("sete", "setu", "which"));
}

TEST(Finding, AScriptsCommentHasToBeginItsLine) {
  EXPECT_THAT(disabled_checks("echo # dib-lint: disable=sete\n    # dib-lint: disable=setu\n"), IsEmpty());
}

TEST(Finding, AReadmesCommentMayStandAnywhere) {
  EXPECT_THAT(disabled_checks("<!-- dib-lint: disable=readme -->\n", ""), ElementsAre("-->", "readme"));
}

TEST(Finding, ToxIniSwitchesOffForAllInItsSectionOnly) {
  EXPECT_THAT(globally_disabled_checks("[flake8]\nignore = E1\n[dib-lint]\nignore = sete  setu\n[other]\nignore = x\n"),
              ElementsAre("sete", "setu"));
}

}  // namespace
}  // namespace hearth::builder
