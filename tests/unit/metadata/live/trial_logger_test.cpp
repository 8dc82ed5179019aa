#include "metadata/live/trial_logger.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/memory_logger.hpp"

namespace hearth::metadata::live {
namespace {

TEST(TrialLogger, PassesOnWhatIsSaidAndInACopyNothing) {
  fakes::MemoryLogger real;
  TrialLogger log(real);
  log.warning("said by the original");
  log.detach();
  log.error("said by the copy");
  EXPECT_TRUE(real.holds("said by the original"));
  EXPECT_FALSE(real.holds("said by the copy"));
}

}  // namespace
}  // namespace hearth::metadata::live
