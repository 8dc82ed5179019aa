#include "builder/outdated/outdated.hpp"

#include <gmock/gmock.h>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using ::testing::HasSubstr;

/// Two images of one repository that lies in a directory, and one of which NAME.d tells no more than its packages. In
/// the image cache a hook has left a link.
TEST(Outdated, ImagesAreComparedWithTheRepositoriesThatTheyNoted) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  const std::string list = "Package: web\nVersion: 2\nArchitecture: all\n";
  files.make_directories(dir.path() / "repo", 0755);
  files.write(dir.path() / "repo/Packages", list, {});
  files.write(dir.path() / "repo/Release",
              cat("Codename: lab\nSHA256:\n ", hex_digest(HashKind::sha256, list), " ", list.size(), " Packages\n"),
              {});
  std::vector<BuildRecords> images;
  for (const char* version : {"1", "2"}) {
    images.push_back({.image = cat("web", version),
                      .packages = {{"deb", "web", version, "amd64", ""}},
                      .repositories = {{cat("file:", (dir.path() / "repo/Release").string()), "digest"}},
                      .has_steps = true});
  }
  images.push_back({.image = "other", .packages = {{"deb", "web", "1", "amd64", ""}}});
  files.make_directories(dir.path() / "cache", 0755);
  files.make_directories(dir.path() / "elsewhere", 0755);
  fs::create_symlink(dir.path() / "elsewhere", dir.path() / "cache/package-lists");
  const std::string said = age_text(image_ages(images, {.image_cache = dir.path() / "cache"}, SystemClock()));
  EXPECT_THAT(said, HasSubstr("web1: outdated: 1 newer package\n  package   web  1 -> 2  (lab)\n"));
  EXPECT_THAT(said, HasSubstr("web2: up to date (1 package compared)\n"));
  EXPECT_THAT(said, HasSubstr("not known to be signed: there is no signature"));
  EXPECT_THAT(said, HasSubstr("other: not known (0 packages compared)\n  unknown   it was built with --no-cache"));
  EXPECT_TRUE(files.list(dir.path() / "elsewhere").empty()) << "lists are kept where a hook leads them";
}

}  // namespace
}  // namespace hearth::builder
