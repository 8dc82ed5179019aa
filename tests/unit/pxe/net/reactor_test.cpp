#include "pxe/net/reactor.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/manual_clock.hpp"

namespace hearth::pxe {
namespace {

struct Counter final : Watcher {
  int calls = 0;
  std::function<void()> action;
  void ready(std::uint32_t /*events*/) override {
    ++calls;
    if (action) action();
  }
};

TEST(Reactor, CallsTheWatcherOfAReadyDescriptorUntilItIsForgotten) {
  fakes::ManualClock clock;
  Reactor reactor(clock);
  const Pipe pipe = Pipe::create();
  Counter counter;
  reactor.watch(pipe.read.get(), EPOLLIN, counter);
  reactor.run_once({});
  EXPECT_EQ(counter.calls, 0);
  write_all(pipe.write, "x", "pipe");
  reactor.run_once({});
  reactor.run_once({});
  EXPECT_EQ(counter.calls, 2);
  reactor.forget(pipe.read.get(), counter);
  reactor.run_once({});
  EXPECT_EQ(counter.calls, 2);
}

TEST(Reactor, AWatcherForgottenByAnotherOneHearsNothingOfEventsAlreadyFetched) {
  fakes::ManualClock clock;
  Reactor reactor(clock);
  const Pipe one = Pipe::create();
  const Pipe two = Pipe::create();
  write_all(one.write, "x", "pipe");
  write_all(two.write, "x", "pipe");
  Counter first;
  Counter second;
  first.action = [&] { reactor.forget(two.read.get(), second); };
  second.action = [&] { reactor.forget(one.read.get(), first); };
  reactor.watch(one.read.get(), EPOLLIN, first);
  reactor.watch(two.read.get(), EPOLLIN, second);
  reactor.run_once({});
  EXPECT_EQ(first.calls + second.calls, 1);
}

TEST(Reactor, HandlesNothingWhileItRestsAndAllOfItAfterwards) {
  fakes::ManualClock clock;
  Reactor reactor(clock);
  const Pipe pipe = Pipe::create();
  Counter counter;
  int others = 0;
  bool rests = true;
  reactor.rest_while([&] { return rests; });
  reactor.watch(pipe.read.get(), EPOLLIN, counter);
  write_all(pipe.write, "x", "pipe");
  reactor.post([&] { ++others; });
  reactor.at(clock.now(), [&] { ++others; });
  for (int times = 0; times < 3; ++times) reactor.run_once({});
  EXPECT_EQ(counter.calls + others, 0);
  rests = false;
  for (int times = 0; times < 2; ++times) reactor.run_once({});
  EXPECT_GE(counter.calls, 1);
  EXPECT_EQ(others, 2);
}

TEST(Reactor, LooksForEventsBeforeItSleepsOnlyWhileThatIsWorthIt) {
  const SystemClock clock;
  Reactor reactor(clock);
  int asked = 0;
  reactor.look_before_waiting([&] { return ++asked, true; });
  const Pipe pipe = Pipe::create();
  Counter counter;
  reactor.watch(pipe.read.get(), EPOLLIN, counter);
  reactor.run_once(std::chrono::milliseconds(5));
  EXPECT_EQ(counter.calls, 0) << "looking in vain ends";
  write_all(pipe.write, "x", "pipe");
  reactor.run_once(std::chrono::hours(1));
  EXPECT_EQ(counter.calls, 1);
  EXPECT_EQ(asked, 2);
  reactor.run_once({});
  EXPECT_EQ(asked, 2) << "a wait of no time needs no look before it";
}

TEST(Reactor, TimersFireInTheirOrderWhenTheirTimeHasCome) {
  fakes::ManualClock clock;
  Reactor reactor(clock);
  std::string fired;
  reactor.at(clock.now() + std::chrono::seconds(2), [&] { fired += "b"; });
  reactor.at(clock.now() + std::chrono::seconds(1), [&] { fired += "a"; });
  reactor.at(clock.now() + std::chrono::seconds(2), [&] { fired += "c"; });
  reactor.run_once({});
  EXPECT_EQ(fired, "");
  clock.advance(std::chrono::seconds(1));
  reactor.run_once({});
  EXPECT_EQ(fired, "a");
  clock.advance(std::chrono::seconds(1));
  reactor.run_once({});
  EXPECT_EQ(fired, "abc");
}

TEST(Reactor, WhatAnotherThreadPostsRunsOnTheReactorsThread) {
  SystemClock clock;
  Reactor reactor(clock);
  std::thread::id ran_on;
  std::jthread poster([&] {
    reactor.post([&] {
      ran_on = std::this_thread::get_id();
      reactor.stop();
    });
  });
  reactor.run();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(Reactor, StopEndsRunFromAnotherThread) {
  SystemClock clock;
  Reactor reactor(clock);
  std::jthread stopper([&] { reactor.stop(); });
  reactor.run();
}

TEST(Reactor, WhatOneEventThrowsIsToldAndTheNextOnesAreServed) {
  fakes::ManualClock clock;
  Reactor reactor(clock);
  const Pipe pipe = Pipe::create();
  Counter counter;
  counter.action = [] { throw std::runtime_error("a bad packet"); };
  reactor.watch(pipe.read.get(), EPOLLIN, counter);
  write_all(pipe.write, "x", "pipe");
  EXPECT_THROW(reactor.run_once({}), std::runtime_error);
  std::vector<std::string> told;
  reactor.contain([&](const std::string& what) { told.push_back(what); });
  for (int turn = 0; turn < 20; ++turn) reactor.run_once({});
  EXPECT_EQ(counter.calls, 21);
  EXPECT_EQ(told, std::vector<std::string>(10, "a bad packet")) << "a flood of them does not fill the log";
}

TEST(Reactor, ALoopThatDoesNothingButThrowEnds) {
  fakes::ManualClock clock;
  Reactor reactor(clock);
  const Pipe pipe = Pipe::create();
  Counter counter;
  counter.action = [] { throw std::runtime_error("broken"); };
  reactor.watch(pipe.read.get(), EPOLLIN, counter);
  write_all(pipe.write, "x", "pipe");
  reactor.contain([](const std::string&) {});
  EXPECT_THROW(reactor.run(), std::runtime_error);
}

}  // namespace
}  // namespace hearth::pxe
