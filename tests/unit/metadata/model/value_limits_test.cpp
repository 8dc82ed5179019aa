#include "metadata/model/value_limits.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "metadata/model/fault.hpp"

namespace hearth::metadata {
namespace {

Value nested(std::uint32_t depth) {
  Value value = Value::list({});
  while (value.depth() < depth) value = Value::list({value});
  return value;
}

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Fault& fault) {
    return fault.text();
  }
  return "";
}

TEST(ValueLimits, a_value_may_be_as_large_as_the_limit_and_not_a_byte_larger) {
  EXPECT_NO_THROW(require_size(k_largest_value, "output a", {}));
  EXPECT_EQ(refusal_of([] { require_size(k_largest_value + 1, "output a", {}); }),
            "output a comes to more than 16 MiB");
}

TEST(ValueLimits, lists_may_be_as_deep_as_the_limit_and_no_deeper) {
  EXPECT_NO_THROW(require_depth(nested(k_deepest_value), "repeat", {}));
  EXPECT_EQ(refusal_of([] { require_depth(nested(k_deepest_value + 1), "repeat", {}); }),
            "repeat comes to lists and maps inside each other, more than 256 deep");
}

}  // namespace
}  // namespace hearth::metadata
