#include "metadata/model/python_pattern.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata {
namespace {

TEST(PerlPattern, says_named_groups_and_the_end_of_a_text_in_perls_words) {
  EXPECT_EQ(perl_pattern("(?P<x>a)b(?P=x)\\Z"), "(?<x>a)b\\k{x}\\z");
}

TEST(PerlPattern, leaves_all_else_and_what_is_escaped_as_it_is) {
  for (const char* same : {"^[a-z]+$", "a|b", "\\(?P<", "\\\\Z", "(?i)x", "(?P", "", "\\"})
    EXPECT_EQ(perl_pattern(same), same);
}

}  // namespace
}  // namespace hearth::metadata
