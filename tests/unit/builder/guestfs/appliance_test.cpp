#include "builder/guestfs/appliance.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/guestfs/appliance_check.hpp"
#include "builder/guestfs/appliance_settings.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Without a real start, which tests/e2e/disks makes: what is said when there is none.
TEST(ApplianceTest, OneThatDoesNotComeUpTellsItsLastLines) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "GCC 12's sanitizer stands before libtirpc's xdr_int64_t, which libguestfs calls, and jumps to 0";
#endif
  try {
    check_appliance(current_environment());
  } catch (const Error& error) {
    GTEST_SKIP() << error.story();
  }
  const TempDir work = TempDir::create(fs::temp_directory_path(), "appliance-");
  RealFileSystem files;
  files.write(work.path() / "disk", std::string(1 << 20, '\0'), {});
  files.make_directories(work.path() / "cache", 0755);
  files.make_directories(work.path() / "fixed", 0755);
  for (const char* name : {"kernel", "initrd", "README.fixed"}) files.write(work.path() / "fixed" / name, "x", {});
  const SystemClock clock;
  RealRunner runner(clock);
  run_checked(runner, {.argv = {"mke2fs", "-q", "-t", "ext2", (work.path() / "fixed/root").string(), "2M"}});
  std::vector<std::string> heard;
  const ApplianceSettings settings{.cache = work.path() / "cache",
                                   .scratch = work.path(),
                                   .search_path = (work.path() / "fixed").string(),
                                   .on_line = [&](std::string_view line) { heard.emplace_back(line); }};
  try {
    (void)Appliance::start(settings, {{.file = work.path() / "disk", .label = "disk"}});
    FAIL() << "it started";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), AllOf(HasSubstr("appliance did not come up"), HasSubstr("its last lines:"),
                                     HasSubstr("kernel"), HasSubstr("libguestfs-test-tool")));
  }
  EXPECT_THAT(heard, testing::Contains(HasSubstr("qemu")));
}

}  // namespace
}  // namespace hearth::builder
