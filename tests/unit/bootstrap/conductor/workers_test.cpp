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
    workers.collect(1000);
    std::this_thread::yield();
  }
  EXPECT_EQ(heard, 100);
}

TEST(Workers, inlineWorkHappensWhenItIsCollected) {
  InlineWorkers workers;
  bool done = false;
  workers.submit([] { return Outcome{}; }, [&](const Outcome&) { done = true; });
  workers.submit([] { return Outcome{}; }, [](const Outcome&) {});
  EXPECT_FALSE(workers.idle());
  EXPECT_FALSE(done);
  EXPECT_TRUE(workers.collect(1));
  EXPECT_TRUE(done);
  EXPECT_FALSE(workers.idle()) << "one was asked for";
  EXPECT_TRUE(workers.collect(1000));
  EXPECT_FALSE(workers.collect(1000));
}

/// Work that hangs until it is let go.
class Hanging {
 public:
  [[nodiscard]] Work work() {
    return [this] {
      std::unique_lock lock(mutex_);
      ++begun_;
      free_.wait(lock, [this] { return is_free_; });
      return Outcome{};
    };
  }
  [[nodiscard]] int begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    is_free_ = true;
    free_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool is_free_ = false;
  int begun_ = 0;
};

TEST(Workers, besideSixtyFourThatHangAHealthyOneIsServedAtOnce) {
  Hanging hanging;
  ThreadWorkers workers(256);
  for (int i = 0; i < 64; ++i) workers.submit(hanging.work(), [](const Outcome&) {});
  bool done = false;
  workers.submit([] { return Outcome{}; }, [&](const Outcome&) { done = true; });
  const auto began = std::chrono::steady_clock::now();
  while (!done && std::chrono::steady_clock::now() - began < std::chrono::seconds(1)) {
    workers.collect(1000);
    std::this_thread::yield();
  }
  EXPECT_TRUE(done);
  hanging.let_go();
}

TEST(Workers, stoppingDoesNotWaitForThoseThatHang) {
  Hanging hanging;
  ThreadWorkers workers(4);
  workers.submit(hanging.work(), [](const Outcome&) {});
  while (hanging.begun() == 0) std::this_thread::yield();
  EXPECT_FALSE(workers.stop(std::chrono::milliseconds(20)));
  hanging.let_go();
  EXPECT_TRUE(workers.stop(std::chrono::seconds(10)));
}

}  // namespace
}  // namespace hearth::bootstrap
