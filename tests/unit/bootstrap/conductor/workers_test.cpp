#include "bootstrap/conductor/workers.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(Workers, threadsDoTheWorkAndTheCallersThreadHearsOfIt) {
  ThreadWorkers workers(4);
  const auto here = std::this_thread::get_id();
  int heard = 0;
  for (int i = 0; i < 100; ++i) {
    workers.submit(
        [i] {
          return Outcome{true, false, false, "", i};
        },
        [&, i](const Outcome& outcome) {
          EXPECT_EQ(std::this_thread::get_id(), here);
          EXPECT_EQ(outcome.value, i);
          ++heard;
        });
  }
  while (!workers.idle()) {
    workers.collect();
    std::this_thread::yield();
  }
  EXPECT_EQ(heard, 100);
}

TEST(Workers, inlineWorkHappensWhenItIsCollected) {
  InlineWorkers workers;
  bool done = false;
  workers.submit([] { return Outcome{}; }, [&](const Outcome&) { done = true; });
  EXPECT_FALSE(workers.idle());
  EXPECT_FALSE(done);
  EXPECT_TRUE(workers.collect());
  EXPECT_TRUE(done);
  EXPECT_FALSE(workers.collect());
}

}  // namespace
}  // namespace hearth::bootstrap
