#include "builder/output/image_writer.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

const OutputFormat k_qcow2 = {"qcow2", FormatKind::qcow2};
const OutputFormat k_vmdk = {"vmdk", FormatKind::qemu};

std::string argv_text(const OutputFormat& format, const WriteOptions& options) {
  return join(convert_argv("in", format, "out", options), " ");
}

TEST(ConvertArgvTest, Qcow2WithSpecialOptionsIsStillCompressedAsAsked) {
  const std::string options = "cluster_size=2M";
  EXPECT_EQ(argv_text(k_qcow2, {.qemu_options = options}),
            "qemu-img convert -f raw -O qcow2 -m 1 -c -o cluster_size=2M in out");
  EXPECT_EQ(argv_text(k_qcow2, {.compression = qcow2::Compression::none, .qemu_options = options}),
            "qemu-img convert -f raw -O qcow2 -m 1 -o cluster_size=2M in out");
  EXPECT_THAT(argv_text(k_qcow2, {.compression = qcow2::Compression::zstd, .qemu_options = options}),
              HasSubstr("-c -o compression_type=zstd,cluster_size=2M in"));
  EXPECT_THAT(argv_text(k_qcow2, {.compression = qcow2::Compression::zstd, .qemu_options = "compression_type=zlib"}),
              HasSubstr("-c -o compression_type=zlib in"));
}

TEST(ConvertArgvTest, OptionsGoToEveryQemuFormatButCompressionDoesNot) {
  EXPECT_EQ(argv_text(k_vmdk, {.qemu_options = "subformat=streamOptimized"}),
            "qemu-img convert -f raw -O vmdk -m 1 -o subformat=streamOptimized in out");
}

class ImageWriterTest : public testing::Test {
 protected:
  SystemClock clock_;
  RealRunner runner_{clock_};
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "writer-");
  fs::path raw_ = work_.path() / "disk";

  void SetUp() override {
    RealFileSystem().write(raw_, std::string(100000, 'd'), {});
    fs::resize_file(raw_, 8 << 20);
  }
};

TEST_F(ImageWriterTest, TheConvertedImageHasTheSameContents) {
  for (const char* name : {"qcow2", "vmdk", "vpc", "vhdx", "vdi"}) {
    const fs::path target = work_.path() / cat("image.", name);
    write_image(raw_, parse_formats(name).front(), target, {}, runner_);
    const CommandResult result =
        runner_.run({.argv = {"qemu-img", "compare", "-f", "raw", "-F", name, raw_.string(), target.string()}});
    EXPECT_EQ(result.status, ExitStatus(Exited{0})) << name << ": " << result.out << result.err;
  }
}

TEST_F(ImageWriterTest, ARawCopyKeepsItsHoles) {
  write_image(raw_, {"raw", FormatKind::raw}, work_.path() / "image.raw", {}, runner_);
  EXPECT_EQ(read_file(work_.path() / "image.raw"), read_file(raw_));
  struct stat status {};
  ASSERT_EQ(::stat((work_.path() / "image.raw").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

TEST_F(ImageWriterTest, AFailedConversionLeavesNothingBehind) {
  fakes::ScriptedRunner failing;
  failing.on("qemu-img", 1);
  EXPECT_THROW(write_image(raw_, k_vmdk, work_.path() / "image.vmdk", {}, failing), Error);
  EXPECT_EQ(RealFileSystem().list(work_.path()), (std::vector<std::string>{"disk"}));
}

TEST_F(ImageWriterTest, WhatIsLeftOutOfTheRawDiskIsWrittenOrTheFormatRefused) {
  const fs::path sparse = work_.path() / "sparse";
  RealFileSystem().write(sparse, "", {});
  fs::resize_file(sparse, 8 << 20);
  const RawImage disk(sparse, {{raw_, 0, 100000, 0}});
  const fs::path target = work_.path() / "image.qcow2";
  write_image(disk, k_qcow2, target, {}, runner_);
  const CommandResult result = runner_.run({.argv = {"qemu-img", "compare", raw_.string(), target.string()}});
  EXPECT_EQ(result.status, ExitStatus(Exited{0})) << result.out << result.err;
  const WriteOptions special{.qemu_options = "cluster_size=4k"};
  EXPECT_THROW(write_image(disk, k_qcow2, work_.path() / "other", special, runner_), Error);
  EXPECT_THROW(write_image(disk, k_vmdk, work_.path() / "other", {}, runner_), Error);
  EXPECT_THROW(write_image(disk, {"raw", FormatKind::raw}, work_.path() / "other", {}, runner_), Error);
  EXPECT_FALSE(fs::exists(work_.path() / "other"));
}

TEST_F(ImageWriterTest, SpecialOptionsOfQcow2AreQemus) {
  const fs::path target = work_.path() / "image.qcow2";
  write_image(raw_, k_qcow2, target, {.qemu_options = "cluster_size=4k"}, runner_);
  EXPECT_EQ(read_file(target).substr(20, 4), std::string("\0\0\0\x0c", 4));
}

}  // namespace
}  // namespace hearth::builder
