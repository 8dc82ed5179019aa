#include "builder/guestfs/appliance_settings.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

TEST(ApplianceSettingsTest, TheFieldsVariablesAreMinded) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "appliance-");
  const SystemClock clock;
  Environment env = {{"LIBGUESTFS_BACKEND_SETTINGS", "force_tcg"}, {"LIBGUESTFS_PATH", "/here"}};
  ApplianceSettings settings = appliance_settings(env, work.path(), work.path(), clock);
  EXPECT_FALSE(settings.kvm);
  EXPECT_EQ(settings.search_path, "/here");
  EXPECT_EQ(settings.cache, work.path() / "appliance");
  EXPECT_TRUE(fs::is_directory(settings.cache));
  env["LIBGUESTFS_CACHEDIR"] = (work.path() / "other").string();
  env["LIBGUESTFS_HV"] = "/bin/false";
  settings = appliance_settings(env, work.path(), work.path(), clock);
  EXPECT_EQ(settings.cache, work.path() / "other/hearth-appliance") << "what else is there is not the builder's alone";
  EXPECT_EQ(settings.hypervisor, "/bin/false");
}

TEST(ApplianceSettingsTest, TheCacheIsTheBuilders) {
  EXPECT_EQ(image_cache({{"HOME", "/home/a"}}), fs::path("/home/a/.cache/image-create"));
  EXPECT_EQ(image_cache({{"HOME", "/home/a"}, {"DIB_IMAGE_CACHE", "/cache"}}), fs::path("/cache"));
}

}  // namespace
}  // namespace hearth::builder
