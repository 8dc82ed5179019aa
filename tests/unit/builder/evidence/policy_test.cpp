#include "builder/evidence/policy.hpp"

#include <gmock/gmock.h>

namespace hearth::builder::evidence {
namespace {

TEST(Policy, TimesAreDaysTimesOrSeconds) {
  EXPECT_EQ(parse_time("86400"), 86400);
  EXPECT_EQ(parse_time("1970-01-02"), 86400);
  EXPECT_EQ(parse_time("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(parse_time("tomorrow"), std::nullopt);
  EXPECT_EQ(parse_time("1970-01-02x"), std::nullopt);
}

TEST(Policy, WhatAStatementDoesNotSayIsNotFulfilled) {
  EXPECT_TRUE(policy_faults(Json::object(), {}).empty());
  const Policy all{.builder = "b", .name = "n", .version = "1", .minimum_version = "1", .not_before = 0};
  EXPECT_EQ(policy_faults(Json::object(), all).size(), 5U);
  EXPECT_EQ(policy_faults({{"predicate", 7}}, all).size(), 5U);
}

}  // namespace
}  // namespace hearth::builder::evidence
