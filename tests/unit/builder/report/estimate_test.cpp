#include "builder/report/estimate.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/recording_progress.hpp"

namespace hearth::builder {
namespace {

using std::chrono::seconds;

/// Keeps estimates besides.
class Listening final : public Progress {
 public:
  explicit Listening(std::vector<std::string>& events) : events_(events) {}
  void step_begin(std::string_view name, std::size_t, std::size_t) override { events_.emplace_back(name); }
  void line(std::string_view) override {}
  void step_end(StepOutcome, Duration) override {}
  void expect(Duration left) override { events_.push_back(cat("left ", rough_text(left))); }
  void fetched(std::uint64_t bytes) override { events_.push_back(cat("fetched ", bytes)); }
  void note(std::string_view text) override { events_.push_back(cat("note ", text)); }
  void finish(std::string_view) override {}

 private:
  std::vector<std::string>& events_;
};

using Events = std::vector<std::string>;

TEST(Estimate, TimesComeFromBothFilesAndTheNewerOneWins) {
  const Json steps = Json::parse(R"({"steps": [{"step": "a", "seconds": 1}, {"step": "b", "seconds": 2}]})");
  const Json timing = Json::parse(R"([{"step": "b", "seconds": 3}, {"step": 7}, "x"])");
  EXPECT_EQ(last_times(steps, timing), (std::map<std::string, double>{{"a", 1}, {"b", 3}}));
  EXPECT_TRUE(last_times(Json(), Json("text")).empty());
}

TEST(Estimate, EachStepThatRunsTellsWhatIsLeft) {
  Events events;
  const auto progress = estimate(std::make_unique<Listening>(events),
                                 {{"root.d/1", 60}, {"install.d/2", 10}, {"gone.d/3", 500}, {"disk", 4}},
                                 {"root.d/1", "install.d/2", "install.d/new"});
  progress->step_begin("root.d/1", 1, 4);
  progress->step_end(StepOutcome::cached, {});
  progress->step_begin("install.d/2", 2, 4);
  progress->tick();
  progress->tick();
  progress->step_end(StepOutcome::done, seconds(10));
  progress->step_begin("disk", 3, 4);
  progress->line("mke2fs");
  EXPECT_EQ(events, (Events{"root.d/1", "install.d/2", "left 14s", "note about 14s to go, by the last build's times",
                            "disk", "left 4s"}));
}

TEST(Estimate, NothingIsSaidWhereNothingIsKnown) {
  Events events;
  const auto progress = estimate(std::make_unique<Listening>(events), {}, {"root.d/1"});
  progress->step_begin("root.d/1", 1, 1);
  progress->tick();
  EXPECT_EQ(events, Events{"root.d/1"});
}

TEST(Estimate, BytesThatAptGetsAreCounted) {
  EXPECT_EQ(fetched_by("Get:12 http://192.0.2.1/debian bookworm/main amd64 less amd64 590-2.1 [132 kB]"), 132'000U);
  EXPECT_EQ(fetched_by("Get:1 http://192.0.2.1/debian bookworm InRelease [8,787 kB]"), 8'787'000U);
  EXPECT_EQ(fetched_by("Get:1 http://192.0.2.1/debian bookworm InRelease [1.25 MB]"), 1'250'000U);
  for (const char* other :
       {"", "Get:", "Hit:1 http://192.0.2.1 [1 kB]", "Get:1 x [much kB]", "Get:1 x 12]", "Get:1 [1]"}) {
    EXPECT_EQ(fetched_by(other), 0U) << other;
  }
  Events events;
  const auto progress = estimate(std::make_unique<Listening>(events), {}, {});
  progress->line("Get:1 u p [1 kB]");
  progress->line("Get:2 u p [2 kB]");
  EXPECT_EQ(events, (Events{"fetched 1000", "fetched 3000"}));
}

TEST(Estimate, WhatAptSaysIsNotCountedWhereSomebodySeesTheBytes) {
  Events events;
  const auto progress = estimate(std::make_unique<Listening>(events), {}, {});
  progress->fetched(0);
  progress->line("Get:1 u p [1 kB]");
  progress->fetched(1100);
  EXPECT_EQ(events, (Events{"fetched 0", "fetched 1100"}));
}

}  // namespace
}  // namespace hearth::builder
