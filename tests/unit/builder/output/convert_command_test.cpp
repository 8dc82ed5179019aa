#include "builder/output/convert_command.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {
namespace {

class ConvertCommandTest : public testing::Test {
 protected:
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "convert-");
  fs::path raw_ = work_.path() / "disk.raw";

  void SetUp() override {
    RealFileSystem().write(raw_, std::string(200000, 'd'), {});
    fs::resize_file(raw_, 4 << 20);
  }

  int convert(std::vector<std::string> words) {
    for (std::string& word : words) {
      if (word.find('.') != std::string::npos) word = (work_.path() / word).string();
    }
    return cli::run_single({.name = "convert", .summary = "", .version = "", .commands = {}}, convert_command(), words);
  }
  std::string head(const char* name, std::size_t bytes) { return read_file(work_.path() / name).substr(0, bytes); }
};

TEST_F(ConvertCommandTest, TheExtensionChoosesTheFormat) {
  EXPECT_EQ(convert({"disk.raw", "disk.qcow2"}), 0);
  EXPECT_EQ(head("disk.qcow2", 4), "QFI\xfb");
  EXPECT_EQ(convert({"-t", "qcow2", "disk.raw", "disk.img"}), 0);
  EXPECT_EQ(head("disk.img", 4), "QFI\xfb");
}

TEST_F(ConvertCommandTest, ThereAndBackIsTheSameDisk) {
  EXPECT_EQ(convert({"--compression", "best", "disk.raw", "disk.qcow2"}), 0);
  EXPECT_EQ(convert({"disk.qcow2", "again.raw"}), 0);
  EXPECT_EQ(read_file(work_.path() / "again.raw"), read_file(raw_));
}

TEST_F(ConvertCommandTest, OverABackingFileAnUnchangedDiskTakesNoSpace) {
  EXPECT_EQ(convert({"--compression", "none", "disk.raw", "whole.qcow2"}), 0);
  EXPECT_EQ(convert({"--compression", "none", "--backing", "disk.raw", "disk.raw", "over.qcow2"}), 0);
  EXPECT_LT(fs::file_size(work_.path() / "over.qcow2") + 200000, fs::file_size(work_.path() / "whole.qcow2"));
}

TEST_F(ConvertCommandTest, WrongUseWritesNothing) {
  EXPECT_EQ(convert({"disk.raw"}), 2);
  EXPECT_EQ(convert({"disk.raw", "disk.tar"}), 2);
  EXPECT_EQ(convert({"--compression", "gzip", "disk.raw", "disk.qcow2"}), 2);
  EXPECT_EQ(convert({"--backing", "disk.raw", "disk.raw", "disk.vmdk"}), 2);
  EXPECT_EQ(convert({"none.raw", "disk.qcow2"}), 1);
  EXPECT_EQ(RealFileSystem().list(work_.path()), (std::vector<std::string>{"disk.raw"}));
}

}  // namespace
}  // namespace hearth::builder
