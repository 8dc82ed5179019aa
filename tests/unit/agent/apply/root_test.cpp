#include "agent/apply/root.hpp"

#include <gtest/gtest.h>

namespace hearth::agent {
namespace {

TEST(JsonRoot, FindsTheMembersOfAnObjectAndNoneOfAnythingElse) {
  const Json object = {{"a", 1}, {"b", nullptr}};
  const JsonRoot root(object);
  EXPECT_EQ(root.member("a"), &object["a"]);
  EXPECT_EQ(root.member("b"), &object["b"]);
  EXPECT_EQ(root.member("c"), nullptr);
  EXPECT_EQ(&root.value(), &object);
  const Json list = {1, 2};
  EXPECT_EQ(JsonRoot(list).member("0"), nullptr);
}

}  // namespace
}  // namespace hearth::agent
