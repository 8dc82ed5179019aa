#include "builder/layers/shown_files.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

TEST(ShownFiles, AStepCameToAPlaceByItBelowItOrByAnOpenDirectoryAbove) {
  const auto came = [](const Reads& reads) { return came_to(reads, "/srv/a/place", "/srv"); };
  EXPECT_FALSE(came({}));
  EXPECT_TRUE(came({.machine = {{"/srv/a/place/x", ""}}}));
  EXPECT_TRUE(came({.machine = {{"/srv/a", ""}}}));
  EXPECT_FALSE(came({.machine = {{"/srv", ""}}})) << "interpreters list where they are started";
  EXPECT_FALSE(came({.machine = {{"/srv/a/place-not", ""}}}));
  EXPECT_TRUE(came({.asked = {{"/srv/a/place", "missing"}}}));
  EXPECT_FALSE(came({.asked = {{"/srv/a", "16384"}}})) << "of what is in a directory that tells nothing";
  EXPECT_TRUE(came({.shown = {"/srv/a/place/below"}}));
}

TEST(ShownFiles, ProgramsFindSettingsWhatPathLeadsToAndTheSystems) {
  const Environment callers = {{"HOME", "/home/me"}, {"PATH", "/usr/bin:/home/me/sdk/bin"}};
  for (const char* found : {"/home/me/.netrc", "/home/me/.config/pip", "/home/me", "/home", "/home/me/sdk",
                            "/home/me/sdk/bin/tool", "/etc/x", "/var/lib/x", "/usr/share/x"})
    EXPECT_TRUE(may_be_a_programs(found, callers)) << found;
  for (const char* not_found : {"/home/me/src/x", "/srv/x", "/home/me/sdk-not"})
    EXPECT_FALSE(may_be_a_programs(not_found, callers)) << not_found;
}

}  // namespace
}  // namespace hearth::builder
