#include "metadata/compile/site_seed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <boost/filesystem/directory.hpp>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth::metadata {
namespace {

using testing::HasSubstr;

class SiteSeedTest : public testing::Test {
 protected:
  static std::string story_of(const fs::path& file) {
    try {
      (void)read_site_seed(file);
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }
  TempDir directory_ = TempDir::create("/tmp", "site-seed-");
  fs::path file_ = directory_.path() / ".hearth-seed";
};

TEST_F(SiteSeedTest, is_random_private_and_the_same_the_next_time) {
  const SiteSeed made = site_seed(file_);
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_EQ(made.seed.size(), 64U);
  EXPECT_NE(made.seed, made.key);
  EXPECT_EQ(site_seed(file_).seed, made.seed);
  EXPECT_NE(site_seed(directory_.path() / "other").seed, made.seed);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()), 2);
}

TEST_F(SiteSeedTest, is_refused_when_others_can_read_it_or_it_is_damaged) {
  EXPECT_THAT(story_of(file_), HasSubstr("there is no site seed"));
  (void)site_seed(file_);
  ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
  EXPECT_THAT(story_of(file_), HasSubstr("chmod 600"));
  RealFileSystem().write(file_, R"({"seed": "hearth", "key": "hearth"})", {.mode = 0600});
  EXPECT_THAT(story_of(file_), HasSubstr("\"seed\" is not 64 hexadecimal digits"));
}

TEST_F(SiteSeedTest, is_not_told_where_it_is_damaged) {
  const SiteSeed made = site_seed(file_);
  const std::string whole = read_file(file_);
  for (const std::size_t kept : {std::size_t{0}, std::size_t{30}, whole.size() - 10}) {
    RealFileSystem().write(file_, whole.substr(0, kept), {.mode = 0600, .uid = {}, .gid = {}});
    const std::string story = story_of(file_);
    EXPECT_THAT(story, HasSubstr("from a backup")) << kept;
    EXPECT_EQ(story.find(made.seed.substr(0, 4)), std::string::npos) << story;
  }
}

TEST_F(SiteSeedTest, is_rotated_behind_a_link) {
  (void)site_seed(file_);
  const fs::path link = directory_.path() / "link";
  fs::create_symlink(file_, link);
  const SiteSeed rotated = rotate_site_seed(link, 100, 200, false);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_site_seed(file_).key, rotated.key) << "both names are one site's";
}

TEST_F(SiteSeedTest, is_whole_or_not_there_after_a_power_cut_and_the_same_once_it_was_used) {
  fakes::LossyDisk disk(directory_.path());
  const SiteSeed made = site_seed(file_);
  disk.promise("made");
  const SiteSeed rotated = rotate_site_seed(file_, 1000, 2000, false);
  disk.promise("rotated");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const SiteSeed found = site_seed(file_);
    if (cut.promised.empty()) return;
    EXPECT_EQ(found.seed, made.seed);
    EXPECT_TRUE(found.key == rotated.key || (found.key == made.key && cut.promised.size() < 2));
  });
  EXPECT_GT(cuts, 8U);
}

TEST_F(SiteSeedTest, is_beside_what_is_compiled) {
  for (const char* output : {"/a/out", "/a/out/", "/a/out/."}) EXPECT_EQ(seed_file_beside(output), "/a/.hearth-seed");
  EXPECT_EQ(seed_file_beside("out"), ".hearth-seed");
}

TEST_F(SiteSeedTest, rotates_keys_only_and_the_former_one_holds_for_its_time) {
  const SiteSeed before = site_seed(file_);
  const SiteSeed after = rotate_site_seed(file_, 1000, 2000, false);
  EXPECT_EQ(after.seed, before.seed);
  EXPECT_EQ(after.former_key, before.key);
  EXPECT_NE(after.key, before.key);
  StackSettings settings;
  use_site_seed(read_site_seed(file_), 1999, settings);
  EXPECT_EQ(settings.former_key_seed, before.key);
  EXPECT_EQ(settings.key_seed, after.key);
  use_site_seed(read_site_seed(file_), 2000, settings);
  EXPECT_EQ(settings.former_key_seed, "");
  EXPECT_THROW((void)rotate_site_seed(file_, 1999, 3000, false), Error);
  EXPECT_NO_THROW((void)rotate_site_seed(file_, 1999, 3000, true));
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

}  // namespace
}  // namespace hearth::metadata
