#include "builder/evidence/step_spans.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/recording_progress.hpp"

namespace hearth::builder::evidence {
namespace {

TEST(StepSpans, NoteWhenEachStepBegan) {
  fakes::ManualClock clock;
  std::vector<StepSpan> spans;
  const std::unique_ptr<Progress> progress = note_steps(std::make_unique<fakes::RecordingProgress>(), clock, spans);
  const auto before = clock.wall().time_since_epoch().count();
  progress->step_begin("a", 1, 2);
  clock.advance(std::chrono::seconds(1));
  progress->step_begin("b", 2, 2);
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].name, "a");
  EXPECT_EQ(spans[0].began_ns, before);
  EXPECT_EQ(spans[1].began_ns, before + 1000000000);
}

}  // namespace
}  // namespace hearth::builder::evidence
