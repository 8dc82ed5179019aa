#include "metadata/model/value.hpp"

#include <gtest/gtest.h>

#include "metadata/model/fault.hpp"

namespace hearth::metadata {
namespace {

TEST(Value, is_equal_as_python_has_it) {
  EXPECT_TRUE(Value::integer(1) == Value::boolean(true));
  EXPECT_TRUE(Value::real(1.0) == Value::boolean(true));
  EXPECT_FALSE(Value::integer(1) == Value::string("1"));
  EXPECT_TRUE(map_of({{"a", Value::integer(1)}, {"b", {}}}) == map_of({{"b", {}}, {"a", Value::real(1)}}));
}

TEST(Value, keeps_a_keys_place_when_it_is_set_again_and_finds_it_among_many) {
  MapBuilder builder;
  for (int i = 0; i < 100; ++i) builder.set("k" + std::to_string(i), Value::integer(i));
  builder.set("k3", Value::integer(-3));
  const Value map = Value::map(std::move(builder));
  EXPECT_EQ(map.entries()[3].value.as_integer(), -3);
  EXPECT_EQ(map.find("k99")->as_integer(), 99);
  EXPECT_EQ(map.find("k100"), nullptr);
  EXPECT_EQ(map.entries().size(), 100U);
}

TEST(Value, takes_numbers_that_are_equal_for_the_same_key) {
  MapBuilder builder;
  builder.set(Value::integer(1), Value::string("a")).set(Value::boolean(true), Value::string("b"));
  EXPECT_EQ(Value::map(std::move(builder)).entries().size(), 1U);
}

TEST(Value, knows_whether_something_inside_waits_and_how_much_it_weighs) {
  const Value inner = Value::list({Value::waiting({{"r", "a"}}), Value::integer(1)});
  const Value outer = map_of({{"x", inner}, {"y", inner}});
  EXPECT_TRUE(outer.has_waiting());
  EXPECT_EQ(outer.weight(), 9U);
  EXPECT_FALSE(Value::list({Value::integer(1)}).has_waiting());
}

TEST(Value, keeps_integers_of_any_size) {
  EXPECT_EQ(Value::big_integer("007").as_integer(), 7);
  EXPECT_EQ(Value::big_integer("-12345678901234567890123").text(), "-12345678901234567890123");
}

TEST(Value, is_not_another_kind_of_value_whoever_asks) {
  const Value list = Value::list({});
  const Value text = Value::string("x");
  EXPECT_THROW((void)list.text(), Fault);
  EXPECT_THROW((void)Value().text(), Fault);
  EXPECT_THROW((void)text.items(), Fault);
  EXPECT_THROW((void)text.entries(), Fault);
  EXPECT_THROW((void)list.events(), Fault);
  EXPECT_EQ(Value::big_integer("123456789012345678901").text(), "123456789012345678901");
}

/// Values that are deeper than any reader gives would run over the stack of whoever goes through them.
TEST(Value, is_never_deeper_than_what_goes_through_it_can_take) {
  Value list = Value::integer(1);
  Value map = Value::integer(1);
  const auto deepen = [&] {
    for (int i = 0; i < 100'000; ++i) list = Value::list({list});
  };
  EXPECT_THROW(deepen(), Fault);
  EXPECT_EQ(list.depth(), 640U);
  const auto deepen_map = [&] {
    for (int i = 0; i < 100'000; ++i) map = map_of({{"a", map}});
  };
  EXPECT_THROW(deepen_map(), Fault);
  EXPECT_EQ(map.depth(), 640U);
  EXPECT_EQ(Value::string("x").depth(), 0U);
}

TEST(Value, has_the_hash_of_what_it_is_equal_to) {
  const ValueHash hash;
  EXPECT_EQ(hash(Value::integer(1)), hash(Value::boolean(true)));
  EXPECT_EQ(hash(Value::real(1.0)), hash(Value::integer(1)));
  EXPECT_EQ(hash(map_of({{"a", Value::integer(1)}, {"b", Value::list({})}})),
            hash(map_of({{"b", Value::list({})}, {"a", Value::real(1)}})));
  const ValueSet set{Value::list({Value::integer(1)}), Value::string("1"), Value::list({Value::real(1)})};
  EXPECT_EQ(set.size(), 2U);
}

/// Written out, each is a billion values.
TEST(Value, is_compared_without_writing_out_what_is_shared_inside) {
  Value left = Value::integer(1);
  Value right = Value::integer(1);
  for (int i = 0; i < 30; ++i) {
    left = Value::list({left, left});
    right = Value::list({right, right});
  }
  EXPECT_TRUE(left == right);
  EXPECT_EQ(ValueHash()(left), ValueHash()(right));
}

}  // namespace
}  // namespace hearth::metadata
