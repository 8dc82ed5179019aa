#include "builder/run/step_report.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<StepRecord> steps(const std::string& second) {
  return {{"root.d/10-a", "a", 3, {{"env A", "1"}}},
          {"install.d/10-b", "b", 1, {{"hook install.d/10-b", second}}},
          {"install.d/20-c", "c", 0.5, {{"env A", "1"}}}};
}

TEST(StepReport, TellsForEachStepWhetherItRanAndWhy) {
  const Json first = step_report(steps("1"), 0, Json());
  EXPECT_THAT(why_text(first), HasSubstr("nothing was kept of an earlier build"));
  const std::string text = why_text(step_report(steps("2"), 1, first));
  EXPECT_THAT(text,
              AllOf(HasSubstr("kept  root.d/10-a"), HasSubstr("install.d/10-b changed"),
                    HasSubstr("it comes after install.d/10-b"), HasSubstr("1 step was taken from layers, 2 ran")));
  const std::string same = why_text(step_report(steps("1"), 1, first));
  EXPECT_THAT(same, HasSubstr("it is quick, and shares the next layer"));
}

}  // namespace
}  // namespace hearth::builder
