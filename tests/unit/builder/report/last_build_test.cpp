#include "builder/report/last_build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "builder/evidence/own_names.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(LastBuild, IsUnfinishedUntilItEndedWellAndTellsWhatEndedIt) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  const fs::path records = dir.path() / "web.d";
  files.make_directories(records, 0755);
  EXPECT_EQ(unfinished_text(unfinished_build(records)), "");
  fakes::ManualClock clock;
  const LastBuild build(dir.path() / "web", clock);
  EXPECT_THAT(unfinished_text(unfinished_build(records)), HasSubstr("has not ended: it runs, or was killed"));
  build.failed("install.d/10-x failed\n  | no such thing");
  EXPECT_THAT(unfinished_text(unfinished_build(records)),
              AllOf(HasSubstr("failed. What is there, if anything, is of an earlier one.\n"),
                    HasSubstr("\n  install.d/10-x failed\n    | no such thing\n")));
  forget_unfinished_build(dir.path() / "web");
  EXPECT_EQ(unfinished_text(unfinished_build(records)), "");
  files.write(records / k_unfinished_file, "{", {});
  EXPECT_THROW((void)unfinished_build(records), Error);
}

TEST(LastBuild, ADirectoryThatTakesNothingIsInNoBuildsWay) {
  fakes::ManualClock clock;
  const LastBuild build("/proc/hearth/web", clock);
  EXPECT_NO_THROW(build.failed("x"));
}

}  // namespace
}  // namespace hearth::builder
