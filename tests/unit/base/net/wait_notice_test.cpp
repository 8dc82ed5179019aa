#include "base/net/wait_notice.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace hearth {
namespace {

using std::chrono::milliseconds;

TEST(WaitNotice, SaysOnceForWhatOnlyWhenItTakesLong) {
  testing::internal::CaptureStderr();
  { const WaitNotice quick("waiting for one", std::chrono::minutes(1)); }
  {
    const WaitNotice slow("waiting for two", milliseconds(1));
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "waiting for two\n");
}

}  // namespace
}  // namespace hearth
