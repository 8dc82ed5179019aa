#include "builder/cache/apt_lists.hpp"

#include <gmock/gmock.h>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(AptLists, TheUrlOfAListIsInItsNameAndTheSchemeInTheSources) {
  const std::string sources = "deb http://m.example/debian x main\nURIs: https://me:pw@s.example/a_b\n";
  EXPECT_EQ(release_url("m.example_debian_dists_x_InRelease", sources), "http://m.example/debian/dists/x/InRelease");
  EXPECT_EQ(release_url("s.example_a%5fb_dists_x_InRelease", sources), "https://s.example/a_b/dists/x/InRelease");
  EXPECT_EQ(release_url("_srv_repo_dists_x_Release", ""), "file:/srv/repo/dists/x/Release");
  EXPECT_EQ(release_url("other.example_dists_x_InRelease", sources), std::nullopt);
}

TEST(AptLists, ReleaseFilesThatCameWithAStepAreItsInputs) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  const auto put = [&](const std::string& name, const std::string& text) {
    files.write(dir.path() / "var/lib/apt/lists" / name, text, {});
  };
  for (const char* name : {"var/lib/apt/lists", "etc/apt/sources.list.d"})
    files.make_directories(dir.path() / name, 0755);
  files.write(dir.path() / "etc/apt/sources.list.d/x.list", "deb http://m.example x main\n", {});
  put("m.example_dists_old_InRelease", "old");
  AptLists lists(dir.path());
  EXPECT_THAT(lists.changes(dir.path()), IsEmpty());
  put("m.example_dists_x_InRelease", "one");
  put("m.example_dists_x_main_Packages", "no matter");
  const std::string fact = "repository http://m.example/dists/x/InRelease";
  EXPECT_THAT(lists.changes(dir.path()), UnorderedElementsAre(Pair(fact, hex_digest(HashKind::sha256, "one"))));
  EXPECT_THAT(lists.changes(dir.path()), IsEmpty());
  put("m.example_dists_x_InRelease", "other");
  EXPECT_THAT(lists.changes(dir.path()), UnorderedElementsAre(Pair(fact, hex_digest(HashKind::sha256, "other"))));
  put("gone.example_debian_dists_x_InRelease", "taken");  // its sources were removed in the same step
  EXPECT_THAT(lists.changes(dir.path(), "repository http://gone.example/debian/dists/x/InRelease\n"),
              UnorderedElementsAre(Pair("repository http://gone.example/debian/dists/x/InRelease",
                                        hex_digest(HashKind::sha256, "taken"))));
  put("nobody_dists_x_InRelease", "?");
  EXPECT_THAT(lists.changes(dir.path()),
              UnorderedElementsAre(Pair(testing::HasSubstr("unseen apt took nobody_dists_x_InRelease"), "-")));
}

}  // namespace
}  // namespace hearth::builder
