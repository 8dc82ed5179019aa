#include "base/path.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth {
namespace {

TEST(GuestPathTest, MustBeAbsolute) {
  EXPECT_THROW(GuestPath("etc/hosts"), Error);
  EXPECT_THROW(GuestPath(""), Error);
}

TEST(GuestPathTest, CannotLeaveItsRoot) {
  for (const char* text :
       {"/../../etc/passwd", "/a/../../../etc/passwd", "/./../a/../etc//passwd", "//../etc/passwd/."}) {
    EXPECT_EQ(GuestPath(text).in("/image"), fs::path("/image/etc/passwd")) << text;
  }
}

TEST(GuestPathTest, KeepsNamesThatOnlyLookLikeDots) {
  EXPECT_EQ(GuestPath("/a/..b/...").text(), "/a/..b/...");
  EXPECT_EQ(GuestPath("/a b/\n").text(), "/a b/\n");
}

TEST(GuestPathTest, TheRootIsTheRoot) {
  EXPECT_EQ(GuestPath("/").text(), "/");
  EXPECT_EQ(GuestPath("/..").text(), "/");
  EXPECT_EQ(GuestPath("/a").in("/image"), fs::path("/image/a"));
}

TEST(GuestPathTest, SpellingsOfOnePathAreEqual) { EXPECT_EQ(GuestPath("/a/./b/"), GuestPath("//a/c/../b")); }

}  // namespace
}  // namespace hearth
