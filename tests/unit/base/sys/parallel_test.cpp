#include "base/sys/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace hearth {
namespace {

TEST(Parallel, AllThreadsWorkAtOnceAndTheCallersIsOneOfThem) {
  std::latch all_here(3);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  run_in_threads(3, [&] {
    all_here.arrive_and_wait();
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen.count(std::this_thread::get_id()), 1U);
}

TEST(Parallel, AFailureIsToldWhenAllHaveEnded) {
  std::latch all_here(2);
  std::atomic<int> ended = 0;
  std::atomic<bool> is_first = true;
  EXPECT_THROW(run_in_threads(2,
                              [&] {
                                all_here.arrive_and_wait();
                                if (is_first.exchange(false)) throw std::runtime_error("one");
                                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                ++ended;
                              }),
               std::runtime_error);
  EXPECT_EQ(ended, 1);
}

TEST(Parallel, EachNumberIsWorkedOnOnce) {
  std::vector<std::atomic<int>> times(100);
  for_each_in_threads(times.size(), 4, [&](std::size_t i) { ++times[i]; });
  for (const std::atomic<int>& each : times) EXPECT_EQ(each, 1);
  for_each_in_threads(0, 4, [](std::size_t) { FAIL() << "there is nothing to do"; });
}

TEST(Parallel, AfterAFailureNoMoreAreBegunAndTheLowestIsTold) {
  std::latch both_here(2);
  std::atomic<int> begun = 0;
  try {
    for_each_in_threads(100, 2, [&](std::size_t i) {
      ++begun;
      both_here.arrive_and_wait();
      if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // fails last
      throw std::runtime_error(i == 0 ? "lowest" : "other");
    });
    FAIL() << "no failure was told";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "lowest");
  }
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace hearth
