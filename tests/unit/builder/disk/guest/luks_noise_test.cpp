#include "builder/disk/guest/luks_noise.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

TEST(LuksNoiseTest, TheStreamFollowsFromKeyAndUuidAndIsLongEnoughForTheKeySlots) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "noise-");
  const auto noise = [&](const char* name, const char* key, const char* uuid) {
    write_luks_noise(work.path() / name, key, uuid);
    return read_file(work.path() / name);
  };
  const std::string first = noise("a", "key", "uuid");
  EXPECT_GE(first.size(), 20U << 20U);
  EXPECT_TRUE(first == noise("b", "key", "uuid"));
  EXPECT_NE(first.substr(0, 4096), noise("c", "yek", "uuid").substr(0, 4096));
  EXPECT_NE(first.substr(0, 4096), noise("d", "key", "diuu").substr(0, 4096));
  EXPECT_NE(first.substr(0, 4096), first.substr(4096, 4096)) << "it repeats itself";
  EXPECT_EQ(fs::status(work.path() / "a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THROW(noise("a", "key", "uuid"), Error) << "what is there is not taken for it";
}

}  // namespace
}  // namespace hearth::builder
