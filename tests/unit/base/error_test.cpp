#include "base/error.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(ErrorTest, SaysOperationObjectAndReason) {
  const Error error = Error::from_errno("opening", "/etc/x", EACCES);
  EXPECT_STREQ(error.what(), "opening /etc/x: Permission denied");
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_EQ(error.system_error(), EACCES);
}

TEST(ErrorTest, TakesErrnoAsItIsAtTheCall) {
  errno = ENOSPC;
  EXPECT_EQ(Error::from_errno("writing", "x").system_error(), ENOSPC);
}

TEST(ErrorTest, TheStoryGoesFromTheCauseOutwardsAndEndsWithAdvice) {
  Error error(ErrorKind::input, "no such element 'vn'");
  error.during("reading the element list").during("building hello").hint("Try 'vm'.");
  EXPECT_EQ(error.story(),
            "no such element 'vn'\n  while reading the element list\n  while building hello\n  Try 'vm'.");
  EXPECT_EQ(error.frames().size(), 2U);
}

TEST(ErrorTest, TheKindDecidesTheExitCodeUnlessOneIsGiven) {
  EXPECT_EQ(Error(ErrorKind::usage, "").exit_code(), 2);
  EXPECT_EQ(Error(ErrorKind::interrupted, "").exit_code(), 130);
  for (const ErrorKind kind :
       {ErrorKind::input, ErrorKind::not_found, ErrorKind::external, ErrorKind::io, ErrorKind::unsupported}) {
    EXPECT_EQ(Error(kind, "").exit_code(), 1);
  }
  EXPECT_EQ(Error(ErrorKind::external, "", 7).exit_code(), 7);
}

TEST(ErrorTest, FramesAddedToACaughtErrorTravelOn) {
  try {
    try {
      throw Error(ErrorKind::io, "cause");
    } catch (Error& error) {
      throw error.during("working");
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.story(), "cause\n  while working");
  }
}

}  // namespace
}  // namespace hearth
