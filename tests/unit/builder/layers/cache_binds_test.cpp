#include "builder/layers/cache_binds.hpp"

#include <gmock/gmock.h>
#include <sys/mount.h>

#include "base/sys/file.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const fs::path k_cache = "/mnt/cache";
const fs::path k_target = "/mnt/target";

TEST(CacheBinds, ArePlacesOfWhichNothingComesIntoAnImage) {
  for (const char* place : {"var/cache/apt/archives", "var/cache/zypp", "tmp/pip", "tmp/yum"})
    EXPECT_TRUE(is_place_of_cache_bind(place)) << place;
  for (const char* place : {"", "tmp", "var/cache", "var/lib/x", "opt/x", "/tmp/x", "tmp/../etc", "tmp//x", "tmp/x/"})
    EXPECT_FALSE(is_place_of_cache_bind(place)) << place;
}

void lay_out() {
  ASSERT_EQ(::mount("tmpfs", "/mnt", "tmpfs", 0, ""), 0);
  for (const char* name : {"cache/apt/debian", "cache/pip", "elsewhere", "target/var/cache/apt/archives",
                           "target/var/cache/other", "target/tmp/pip", "target/opt"})
    fs::create_directories(fs::path("/mnt") / name);
  RealFileSystem().write(k_cache / "apt/debian/a.deb", "package", {});
}

std::optional<CacheBind> bind_at(const char* place) {
  return cache_bind(read_file("/proc/self/mountinfo"), k_target / place, k_cache, k_target);
}

void check_found() {
  lay_out();
  bind_mount(k_cache / "apt/debian", k_target / "var/cache/apt/archives", Access::read_write);
  bind_mount(k_cache / "pip", k_target / "tmp/pip", Access::read_only);
  EXPECT_EQ(bind_at("var/cache/apt/archives"), (CacheBind{"apt/debian", "var/cache/apt/archives", false}));
  EXPECT_EQ(bind_at("tmp/pip"), (CacheBind{"pip", "tmp/pip", true}));
  bind_mount(k_cache / "pip", k_target / "opt", Access::read_write);
  EXPECT_EQ(bind_at("opt"), std::nullopt) << "what is read there a hook may put into the image";
  bind_mount("/mnt/elsewhere", k_target / "var/cache/other", Access::read_write);
  EXPECT_EQ(bind_at("var/cache/other"), std::nullopt) << "not of the image cache";
  ASSERT_EQ(::mount("tmpfs", "/mnt/target/var/cache/other", "tmpfs", 0, ""), 0);
  EXPECT_EQ(bind_at("var/cache/other"), std::nullopt);
}

TEST(CacheBinds, AreFoundAmongTheMounts) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace(check_found);
}

void check_bound_again() {
  lay_out();
  const std::vector<CacheBind> binds = {{"apt/debian", "var/cache/apt/archives", false}, {"gone", "tmp/pip", true}};
  bind_again(binds, k_cache, k_target);
  EXPECT_THAT(RealFileSystem().list(k_target / "var/cache/apt/archives"), ElementsAre("a.deb"));
  EXPECT_EQ(error_of_creating(k_target / "var/cache/apt/archives/b.deb"), 0);
  EXPECT_TRUE(fs::exists(k_cache / "gone")) << "somebody had removed it";
  EXPECT_EQ(error_of_creating(k_target / "tmp/pip/x"), EROFS);
  unbind(binds, k_target);
  EXPECT_THAT(mount_points_below(read_file("/proc/self/mountinfo"), k_target.string()), IsEmpty());
  EXPECT_THAT(RealFileSystem().list(k_target / "var/cache/apt/archives"), IsEmpty());
}

TEST(CacheBinds, AreMadeAgainAndTakenAway) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace(check_bound_again);
}

void check_refused() {
  lay_out();
  fs::create_directory_symlink("/mnt/elsewhere", k_target / "var/cache/link");
  EXPECT_THROW(bind_again({{"pip", "var/cache/link", false}}, k_cache, k_target), Error)
      << "it leads out of the target";
  EXPECT_THROW(bind_again({{"pip", "var/cache/gone", false}}, k_cache, k_target), Error);
}

TEST(CacheBinds, FollowNoLinkOutOfTheTarget) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace(check_refused);
}

}  // namespace
}  // namespace hearth::builder
