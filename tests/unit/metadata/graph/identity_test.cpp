#include "metadata/graph/identity.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata {
namespace {

TEST(Identity, shortens_ids_as_heat_does) {
  EXPECT_EQ(short_id("12345678-1234-4abc-9def-0123456789ab"), "vpasgqjdivty");
  EXPECT_EQ(short_id("18705d3e-45f0-4c90-9ee4-6f44af60041b"), "zecf6amhaxj6");
  EXPECT_EQ(short_id("00000000-0000-0000-0000-000000000000"), "aaaaaaaaaaaa");
}

TEST(Identity, is_the_same_for_the_same_seed_and_path_only) {
  EXPECT_EQ(derived_uuid("s", "k", "p"), derived_uuid("s", "k", "p"));
  EXPECT_NE(derived_uuid("s", "k", "p"), derived_uuid("t", "k", "p"));
  EXPECT_EQ(derived_uuid("s", "k", "p")[14], '4');
}

TEST(Identity, keeps_the_end_of_names_that_are_too_long) {
  const std::string name =
      physical_name("overcloud-Controller-5wkislg4kiv5", "deployed-server", "12345678-1234-4abc-9def-0123456789ab", 53);
  EXPECT_EQ(name.size(), 53U);
  EXPECT_EQ(name.substr(0, 3), "ov-");
  EXPECT_EQ(name.substr(name.size() - 28), "deployed-server-vpasgqjdivty");
}

TEST(Identity, is_keyed_by_the_seed) {
  // HMAC-SHA256 of "secret key\0a.b" by "seed", as Python's hmac makes it.
  EXPECT_EQ(derived_secret("seed", "secret key", "a.b", 16), "a81a0eb2426c3303");
}

}  // namespace
}  // namespace hearth::metadata
