#include "metadata/model/plain_words.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata {
namespace {

TEST(PlainWords, say_what_python_says_in_ours) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"'int' object has no attribute 'split'", "a text is needed here, not a whole number"},
      {"Value must be a comma-delimited list string: 'int' object has no attribute 'split'",
       "Value must be a comma-delimited list string: a text is needed here, not a whole number"},
      {"Parameter 'x': 'list' object has no attribute 'items'", "Parameter 'x': a map is needed here, not a list"},
      {"object of type 'int' has no len()", "a whole number has no length"},
      {"unhashable type: 'dict'", "a map can't be a name"},
      {"could not convert string to float: 'many'", "'many' is no number"},
      {"invalid literal for int() with base 10: 'x'", "'x' is no whole number"},
      {"replace() argument 2 must be str, not int", "what is put in is a text, not a whole number"},
      {"tuple index out of range", "there is no such item"},
      {"'a'", "there is no 'a' in it"},
      {"a map of resource maps. Found a [<class 'list'>] instead", "a map of resource maps. Found a list instead"},
      {"9999 is out of range (min: None, max: 512)", "9999 is out of range (at most 512)"},
      {"-1 is out of range (min: 0, max: None)", "-1 is out of range (at least 0)"},
      {"6 is out of range (min: 7, max: 9)", "6 is out of range (min: 7, max: 9)"},
      {R"('"str_replace" syntax should be str_replace:\n  template: t')",
       "str_replace is written so:\n  str_replace:\n  template: t"},
      {R"('"str_replace" syntax should be str_replace:\n              template: t\n                a: b')",
       "str_replace is written so:\n  str_replace:\n    template: t\n      a: b"},
      {"Property error: x: No content found in the \"files\" section for get_file path: a.sh",
       "Property error: x: get_file: there is no file a.sh"},
      {"Duplicate names {'a', 'b'}", "parameters and resources can't have the same names: a, b"},
      {"The Parameter (x) was not provided.", "The Parameter (x) was not provided."},
      {"", ""}};
  for (const auto& [python, ours] : cases) EXPECT_EQ(plain_words(python), ours);
}

TEST(PlainWords, leave_the_fault_what_it_is) {
  Fault fault("TypeError", "unhashable type: 'list'", Mark{1, 2, 3}, "resources.a");
  fault.hint("do this");
  const Fault told = in_plain_words(fault);
  EXPECT_STREQ(told.what(), "resources.a: a list can't be a name");
  EXPECT_EQ(told.type(), "TypeError");
  EXPECT_EQ(told.mark().line, 2U);
  EXPECT_EQ(told.advice(), "do this");
}

}  // namespace
}  // namespace hearth::metadata
