#include "builder/hooks/own_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {
namespace {

TEST(OwnFiles, ThatAreNoFilesAreTakenAway) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  files.write(dir.path() / "victim", "x", {});
  const fs::path own = dir.path() / "image.d";
  take_back_own_files(own);  // not there yet
  files.make_directories(own, 0755);
  fs::create_symlink(dir.path() / "victim", own / "build.log");
  fs::create_symlink(dir.path() / "not there", own / ".lock");
  ASSERT_EQ(::mkfifo((own / "output.json").c_str(), 0600), 0);
  fs::create_symlink(dir.path() / "victim", own / "theirs");  // a hook's own
  files.write(own / "steps.json", "kept", {});
  take_back_own_files(own);
  EXPECT_EQ(files.list(own), (std::vector<std::string>{"steps.json", "theirs"}));
  EXPECT_EQ(read_file(dir.path() / "victim"), "x");
}

TEST(OwnFiles, ADirectoryThatIsALinkIsRefused) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::create_symlink("/etc", dir.path() / "image.d");
  EXPECT_THROW(take_back_own_files(dir.path() / "image.d"), Error);
}

}  // namespace
}  // namespace hearth::builder
