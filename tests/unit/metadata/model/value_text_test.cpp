#include "metadata/model/value_text.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata {
namespace {

TEST(ValueText, is_json_as_python_dumps_it) {
  const Value value =
      map_of({{"b", Value::real(1e16)}, {"a", Value::list({Value::boolean(true), Value(), Value::string("é\n")})}});
  EXPECT_EQ(json_text(value), R"({"b": 1e+16, "a": [true, null, "\u00e9\n"]})");
  EXPECT_EQ(json_text(value, {.sort_keys = true}), R"({"a": [true, null, "\u00e9\n"], "b": 1e+16})");
  EXPECT_EQ(json_text(map_of({{"a", Value::list({Value::integer(1)})}}), {.indent = 2}),
            "{\n  \"a\": [\n    1\n  ]\n}");
}

TEST(ValueText, is_pythons_str_and_repr) {
  EXPECT_EQ(python_str(Value::boolean(true)), "True");
  EXPECT_EQ(python_str(Value::real(1.0)), "1.0");
  EXPECT_EQ(python_repr(map_of({{"it's", Value::list({Value::string("x"), Value()})}})), R"({"it's": ['x', None]})");
}

TEST(ValueText, reads_numbers_as_int_and_float_do) {
  EXPECT_EQ(integer_from(" 1_000 ")->as_integer(), 1000);
  EXPECT_FALSE(integer_from("1__0"));
  EXPECT_FALSE(integer_from(""));
  EXPECT_EQ(*real_from("1e3"), 1000.0);
  EXPECT_FALSE(real_from("1e"));
  EXPECT_FALSE(real_from("0x10"));
}

TEST(ValueText, names_what_everything_inside_waits_for) {
  const Value value =
      Value::list({Value::waiting({{"b", "x"}}), map_of({{"k", Value::waiting({{"a", "y"}, {"b", "x"}})}})});
  const std::vector<Event> events = events_in(value);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].text(), "a.y");
}

}  // namespace
}  // namespace hearth::metadata
