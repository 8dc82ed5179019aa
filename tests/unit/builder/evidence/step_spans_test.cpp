#include "builder/evidence/step_spans.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/recording_progress.hpp"

namespace hearth::builder::evidence {
namespace {

/// However short the steps are, and though the kernel's stamps are coarse.
TEST(StepSpans, TellWhichStepWroteAFile) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  std::vector<StepSpan> spans;
  const std::unique_ptr<Progress> progress = note_steps(std::make_unique<fakes::RecordingProgress>(), spans);
  for (int i = 0; i < 20; ++i) {
    progress->step_begin(cat("step", i), 1, 2);
    files.write(dir.path() / std::to_string(i), "x", {});
  }
  progress->step_begin("last", 2, 2);
  const std::string record = record_tree(dir.path(), spans);
  for (int i = 0; i < 20; ++i) {
    const std::size_t line = record.find(cat("/", i, "\t"));
    ASSERT_NE(line, std::string::npos);
    const std::string text = record.substr(line, record.find('\n', line) - line);
    EXPECT_TRUE(text.ends_with(cat("\tstep", i))) << text;
  }
}

}  // namespace
}  // namespace hearth::builder::evidence
