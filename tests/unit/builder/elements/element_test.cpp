#include "builder/elements/element.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ElementNames, AreOneALineStripped) {
  EXPECT_THAT(parse_element_names("vm\n  base \n\tdpkg\r\nlast"), ElementsAre("vm", "base", "dpkg", "last"));
}

TEST(ElementNames, BlankLinesAreDropped) { EXPECT_THAT(parse_element_names("\n  \n\n"), IsEmpty()); }

TEST(ElementNames, CommentsAreNotRecognised) { EXPECT_THAT(parse_element_names("# vm\n"), ElementsAre("# vm")); }

TEST(ElementNames, WhatSomebodyMeantToCommentIsKnown) {
  EXPECT_EQ(name_before_comment("vm # for disks"), "vm");
  EXPECT_EQ(name_before_comment("# vm"), "");
  EXPECT_EQ(name_before_comment("vm"), std::nullopt);
}

TEST(ElementNames, KeepTheOrderOfTheFileAndDoubles) {
  EXPECT_THAT(parse_element_names("b\na\nb\n"), ElementsAre("b", "a", "b"));
}

}  // namespace
}  // namespace hearth::builder
