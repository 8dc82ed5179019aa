#include "builder/fetch/git_request.hpp"

#include <gtest/gtest.h>

namespace hearth::builder::fetch {
namespace {

TEST(GitRequest, OfVersionTwoIsTheSameForEveryGit) {
  const auto body = [](const std::string& agent) { return "0014command=ls-refs\n" + agent + "00010009peel\n0000"; };
  EXPECT_EQ(without_agent(body("0014agent=git/2.39.5")), without_agent(body("0012agent=git/2.47")));
  EXPECT_EQ(without_agent(body("0010session-id=a")), without_agent(body("")));
  EXPECT_EQ(without_agent(body("")), "command=ls-refs\n0001peel\n0000");
  EXPECT_NE(without_agent(body("0016object-format=sha1")), without_agent(body("")));
}

TEST(GitRequest, OfVersionZeroToo) {
  EXPECT_EQ(without_agent("0029want 1234 ofs-delta agent=git/2.39.5\n0000"),
            without_agent("0027want 1234 ofs-delta agent=git/2.47\n0000"));
  EXPECT_NE(without_agent("000ewant 1234\n0000"), without_agent("000ewant 1235\n0000"));
}

TEST(GitRequest, WhatIsNoneStaysAsItIs) {
  for (const char* body : {"x", "000", "0014command", "zzzzabcd", "-001ab", "ffff"}) {
    EXPECT_FALSE(without_agent(body)) << body;
  }
  EXPECT_EQ(without_agent(""), "");
}

}  // namespace
}  // namespace hearth::builder::fetch
