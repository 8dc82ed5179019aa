// The peer is qemu-img: what it wrote is still sound to it, and the same every time.
#include "builder/output/fixed_ids.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "builder/output/image_writer.hpp"

namespace hearth::builder {
namespace {

class DiskIdsTest : public testing::Test {
 protected:
  DiskIdsTest() {
    RealFileSystem().write(raw_, std::string(300'000, 'd'), {});
    fs::resize_file(raw_, 40 << 20);
  }
  std::string made(const std::string& format) {
    const fs::path target = work_.path() / "image";
    write_image(raw_, parse_formats(format).front(), target, {.epoch = 1'600'000'000}, runner_);
    return read_file(target);
  }
  SystemClock clock_;
  RealRunner runner_{clock_};
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "ids-");
  fs::path raw_ = work_.path() / "raw";
};

TEST_F(DiskIdsTest, EqualDisksGiveEqualBytesAndOthersOtherIds) {
  if (!find_program("qemu-img", current_environment())) GTEST_SKIP() << "qemu-utils is not installed";
  for (const std::string format : {"vhd", "vpc", "vhdx", "vdi", "vmdk"}) {
    const std::string first = made(format);
    EXPECT_TRUE(made(format) == first) << format;
    const std::string peer = format == "vhd" ? "vpc" : format;
    const std::string file = (work_.path() / "image").string();
    EXPECT_NO_THROW(
        run_checked(runner_, {.argv = {"qemu-img", "compare", "-f", "raw", "-F", peer, raw_.string(), file}}));
    if (format == "vhdx" || format == "vdi" || format == "vmdk") {
      EXPECT_NO_THROW(run_checked(runner_, {.argv = {"qemu-img", "check", "-f", peer, file}})) << format;
    }
  }
}

/// qemu-img writes VMDK's content id in hexadecimal without leading zeros: one in sixteen is shorter than the others.
TEST_F(DiskIdsTest, AShortContentIdOfVmdkIsReplacedAsAWhole) {
  if (!find_program("qemu-img", current_environment())) GTEST_SKIP() << "qemu-utils is not installed";
  const fs::path target = work_.path() / "image";
  const auto fixed_with = [&](const std::string& id) {
    run_checked(runner_, {.argv = {"qemu-img", "convert", "-f", "raw", "-O", "vmdk", raw_.string(), target.string()}});
    std::string bytes = read_file(target);
    const std::size_t begin = bytes.find("\nCID=") + 5;
    const std::size_t line_end = bytes.find('\n', begin);
    const std::size_t text_end = bytes.find('\0', begin);
    const std::string rest = bytes.substr(line_end, text_end - line_end);
    bytes.replace(begin, text_end - begin, text_end - begin, '\0');
    bytes.replace(begin, id.size() + rest.size(), id + rest);
    RealFileSystem().write(target, bytes, {});
    fix_disk_ids(Fd::open(target.string(), O_RDWR), "vmdk", "image.vmdk", 0);
    return read_file(target);
  };
  const std::string usual = fixed_with("89abcdef");
  EXPECT_THAT(usual, testing::HasSubstr("\nparentCID=ffffffff\n"));
  for (const std::string id : {"9abcdef", "f", "0"}) EXPECT_TRUE(fixed_with(id) == usual) << id;
}

TEST_F(DiskIdsTest, WhatIsOfAnotherFormatIsRefused) {
  const Fd file = Fd::open(raw_.string(), O_RDWR);
  for (const char* format : {"vpc", "vhdx", "vdi", "vmdk"})
    EXPECT_THROW(fix_disk_ids(file, format, "x", 0), Error) << format;
  EXPECT_NO_THROW(fix_disk_ids(file, "qed", "x", 0));
}

}  // namespace
}  // namespace hearth::builder
