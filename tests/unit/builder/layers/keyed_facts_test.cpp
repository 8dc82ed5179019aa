#include "builder/layers/keyed_facts.hpp"

#include <gtest/gtest.h>

#include "builder/layers/facts.hpp"
#include "builder/layers/input_digest.hpp"

namespace hearth::builder {
namespace {

const FactKey k_one = {"one"};
const FactKey k_two = {"two"};

TEST(KeyedFacts, ASecretsDigestSaysNothingWithoutTheKey) {
  EXPECT_NE(variable_digest(k_one, "DIB_DEV_USER_PASSWORD", "pw"), fact_digest("pw"));
  EXPECT_NE(variable_digest(k_one, "DIB_DEV_USER_PASSWORD", "pw"),
            variable_digest(k_two, "DIB_DEV_USER_PASSWORD", "pw"));
  EXPECT_NE(variable_digest(k_one, "DIB_DEV_USER_PASSWORD", "pw"),
            variable_digest(k_one, "DIB_DEV_USER_PASSWORD", "x"));
  EXPECT_EQ(variable_digest(k_one, "DIB_X", "http://h/"), fact_digest("http://h/"));
  EXPECT_NE(variable_digest(k_one, "DIB_X", "http://me:pw@h/"), fact_digest("http://me:pw@h/"));
  EXPECT_EQ(variable_digest(k_one, "DIB_RELEASE", "x"), fact_digest("x")) << "a fleet shares what is no secret";
  EXPECT_EQ(keyed_digest(k_one, "x").size(), fact_digest("x").size());
}

TEST(KeyedFacts, SoDoesThatOfAFileOfSecrets) {
  EXPECT_NE(file_digest(k_one, "/home/me/.netrc", "d"), "d");
  EXPECT_NE(file_digest(k_one, "MY_TOKEN", "d"), "d");
  EXPECT_EQ(file_digest(k_one, "/etc/hosts", "d"), "d");
  const std::string nothing = fact_digest(asked_look("/nonexistent/.netrc").value_or(""));
  EXPECT_EQ(file_digest(k_one, "/nonexistent/.netrc", nothing), nothing) << "a fleet shares that it is not there";
}

}  // namespace
}  // namespace hearth::builder
