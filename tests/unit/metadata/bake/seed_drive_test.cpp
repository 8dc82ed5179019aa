#include "metadata/bake/seed_drive.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/sys/file.hpp"

namespace hearth::metadata {
namespace {

const std::vector<SeedFile> k_files = {{"openstack/latest/meta_data.json", "{}\n"}, {"ec2/latest/user-data", "hello"}};

/// What a program prints; skips the test where it is not installed.
std::string printed(const std::vector<std::string>& argv) {
  const SystemClock clock;
  RealRunner runner(clock);
  return run_checked(runner, {.argv = argv});
}

TEST(SeedDrive, is_an_iso_with_its_label_and_long_names) {
  const std::string image = iso_image(k_files, "config-2");
  EXPECT_EQ(image.substr(32769, 5), "CD001");
  EXPECT_EQ(image.substr(32808, 8), "config-2");
  EXPECT_NE(image.find("hello"), std::string::npos);
}

TEST(SeedDrive, is_read_back_by_another_reader_file_by_file) {
  if (!find_program("bsdtar", current_environment())) GTEST_SKIP() << "bsdtar is not installed";
  const TempDir work = TempDir::create(fs::temp_directory_path(), "seed-");
  const fs::path file = work.path() / "seed.iso";
  RealFileSystem().write(file, iso_image(k_files, "cidata"), {.mode = 0600});
  EXPECT_EQ(printed({"bsdtar", "-xOf", file.string(), "ec2/latest/user-data"}), "hello");
}

TEST(SeedDrive, is_a_fat_image_that_mtools_reads) {
  if (!find_program("mkfs.vfat", current_environment()) || !find_program("mtype", current_environment())) {
    GTEST_SKIP() << "dosfstools or mtools are not installed";
  }
  const TempDir work = TempDir::create(fs::temp_directory_path(), "seed-");
  const fs::path file = work.path() / "seed.img";
  const SystemClock clock;
  RealRunner runner(clock);
  write_fat_image(k_files, "config-2", file, runner);
  EXPECT_EQ(printed({"mtype", "-i", file.string(), "::openstack/latest/meta_data.json"}), "{}\n");
  EXPECT_NE(printed({"mlabel", "-i", file.string(), "-s", "::"}).find("config-2"), std::string::npos);
}

}  // namespace
}  // namespace hearth::metadata
