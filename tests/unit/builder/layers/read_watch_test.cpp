#include "builder/layers/read_watch.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReadWatch, TellsWhichFilesWereOpenedRunAndListed) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  files.make_directories(dir.path() / "a/b", 0755);
  files.write(dir.path() / "a/b/read", "x", {});
  files.write(dir.path() / "a/unread", "x", {});
  files.write(dir.path() / "a/run", "#!/bin/sh\n", {.mode = 0755});
  ReadWatch watch(dir.path());
  (void)watch.take();
  (void)files.read(dir.path() / "a/b/read");
  (void)files.status(dir.path() / "a/unread");
  const SystemClock clock;
  RealRunner runner(clock);
  run_checked(runner, Command{.argv = {(dir.path() / "a/run").string()}});
  const Reads reads = watch.take();
  EXPECT_THAT(reads.files, ElementsAre("a/b/read", "a/run"));
  EXPECT_THAT(reads.directories, IsEmpty());
  EXPECT_FALSE(reads.everything);
  (void)files.list(dir.path() / "a");
  EXPECT_THAT(watch.take().directories, ElementsAre("a"));
  EXPECT_THAT(watch.take().files, IsEmpty());
}

TEST(ReadWatch, TakesAllAsReadWhereThereIsNothingToWatchWith) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  ReadWatch watch(dir.path());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(watch.take().everything);
}

}  // namespace
}  // namespace hearth::builder
