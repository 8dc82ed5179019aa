#include "builder/fetch/variants.hpp"

#include <gtest/gtest.h>

namespace hearth::builder::fetch {
namespace {

TEST(Variants, AreToldApartByWhatTheServerNames) {
  const HttpHeaders asked = {{"User-Agent", "curl/8 x"}, {"Accept-Language", "de"}, {"Accept", "a/b"}};
  EXPECT_EQ(varied_values("Accept, Accept-Encoding", asked), "");
  EXPECT_EQ(varied_values("Accept,  user-agent", asked), "user-agent=curl%2F8%20x");
  EXPECT_EQ(varied_values("*", asked), "accept-language=de&user-agent=curl%2F8%20x");
  EXPECT_EQ(varied_values("User-Agent", {}), "user-agent=");
  EXPECT_EQ(values_like("accept-language=fr", asked), "accept-language=de");
}

}  // namespace
}  // namespace hearth::builder::fetch
