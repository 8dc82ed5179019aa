#include "bootstrap/rehearse/work_folder.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::bootstrap {
namespace {

using testing::HasSubstr;

class WorkFolder : public testing::Test {
 protected:
  [[nodiscard]] std::string refusal() const {
    try {
      const FileLock lock = taken_work_folder(folder_);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  void put(const char* name) const {
    RealFileSystem().make_directories((folder_ / name).parent_path(), 0700);
    RealFileSystem().write(folder_ / name, "x", {});
  }

  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "rehearsal.");
  fs::path folder_ = dir_.path() / "site.rehearsal";
};

TEST_F(WorkFolder, anEarlierRehearsalIsReplaced) {
  { const FileLock lock = taken_work_folder(folder_); }
  put("machines/node1/disk.qcow2");
  put("seed.log");
  EXPECT_EQ(refusal(), "");
  EXPECT_FALSE(fs::exists(folder_ / "machines"));
  EXPECT_FALSE(fs::exists(folder_ / "seed.log"));
}

TEST_F(WorkFolder, oneThatRunsIsLeftAlone) {
  const FileLock lock = taken_work_folder(folder_);
  put("seed.log");
  EXPECT_THAT(refusal(), HasSubstr("a rehearsal runs in "));
  EXPECT_TRUE(fs::exists(folder_ / "seed.log"));
}

TEST_F(WorkFolder, whatIsNoRehearsalsIsLeftAlone) {
  put("machines/inventory.txt");
  EXPECT_THAT(refusal(), HasSubstr("is not empty, and no rehearsal's"));
  EXPECT_TRUE(fs::exists(folder_ / "machines/inventory.txt"));
}

}  // namespace
}  // namespace hearth::bootstrap
