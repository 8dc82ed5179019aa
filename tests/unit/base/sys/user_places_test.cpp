#include "base/sys/user_places.hpp"

#include <gmock/gmock.h>
#include <pwd.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth {
namespace {

TEST(UserPlaces, HomeIsWhatTheEnvironmentSaysElseWhatTheListOfUsersHas) {
  EXPECT_EQ(home_directory({{"HOME", "/home/anna"}}), "/home/anna");
  EXPECT_EQ(home_directory({{"HOME", "/not/there"}}), "/not/there");
  const passwd* const me = ::getpwuid(::geteuid());
  const fs::path listed = me == nullptr ? "/" : me->pw_dir;
  EXPECT_EQ(home_directory({}), listed);
  EXPECT_EQ(home_directory({{"HOME", ""}}), listed);
  EXPECT_EQ(home_directory({{"HOME", "relative"}}), listed);
}

TEST(UserPlaces, TheCacheIsInTheHomeDirectoryUnlessXdgSaysElse) {
  EXPECT_EQ(cache_directory({{"HOME", "/home/anna"}}), "/home/anna/.cache");
  EXPECT_EQ(cache_directory({{"HOME", "/home/anna"}, {"XDG_CACHE_HOME", "/cache"}}), "/cache");
  EXPECT_EQ(cache_directory({{"HOME", "/home/anna"}, {"XDG_CACHE_HOME", "relative"}}), "/home/anna/.cache");
}

TEST(UserPlaces, WhatIsSettledLikewise) {
  EXPECT_EQ(config_directory({{"HOME", "/home/anna"}}), "/home/anna/.config");
  EXPECT_EQ(config_directory({{"HOME", "/home/anna"}, {"XDG_CONFIG_HOME", "/config"}}), "/config");
}

TEST(UserPlaces, WhatHasToStayIsInTheHomeDirectoryUnlessXdgSaysElse) {
  EXPECT_EQ(kept_state_directory({{"HOME", "/home/anna"}}), "/home/anna/.local/state");
  EXPECT_EQ(kept_state_directory({{"HOME", "/home/anna"}, {"XDG_STATE_HOME", "/state"}}), "/state");
  EXPECT_EQ(kept_state_directory({{"HOME", "/home/anna"}, {"XDG_STATE_HOME", "relative"}}), "/home/anna/.local/state");
}

TEST(UserPlaces, TemporaryFilesGoWhereTheyAreAskedToOrNowhere) {
  const TempDir work = TempDir::create("/tmp", "hearth-test-");
  EXPECT_EQ(temporary_directory({}), "/tmp");
  EXPECT_EQ(temporary_directory({{"TMPDIR", ""}}), "/tmp");
  EXPECT_EQ(temporary_directory({{"TMPDIR", work.path().string()}}), work.path());
  try {
    (void)temporary_directory({{"TMPDIR", (work.path() / "none").string()}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.story(),
                testing::AllOf(testing::HasSubstr("/none, which is no directory"), testing::HasSubstr("unset TMPDIR")));
  }
}

}  // namespace
}  // namespace hearth
