#include "builder/qcow2/writer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::builder::qcow2 {
namespace {

constexpr Compression k_all[] = {Compression::none, Compression::fast, Compression::best, Compression::zstd};

/// Text, noise, zeros and holes in a fixed mixture.
std::string mixture(std::size_t clusters) {
  std::string bytes;
  std::uint64_t state = 42;
  for (std::size_t i = 0; i < clusters; ++i) {
    for (std::size_t byte = 0; byte < k_cluster; ++byte) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const auto random = static_cast<char>(state >> 56U);
      bytes += i % 3 == 0 ? random : i % 3 == 1 ? static_cast<char>('a' + (random & 7)) : '\0';
    }
  }
  return bytes;
}

class Qcow2WriterTest : public testing::Test {
 protected:
  SystemClock clock_;
  RealRunner runner_{clock_};
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "qcow2-");
  fs::path raw_ = work_.path() / "disk";
  fs::path image_ = work_.path() / "image.qcow2";

  static void disk(const fs::path& path, const std::string& data, std::uint64_t size) {
    RealFileSystem().write(path, data, {});
    fs::resize_file(path, size);
  }

  std::string write(const WriterOptions& options) { return write(RawDisk(raw_), options); }
  std::string write(const RawDisk& disk, const WriterOptions& options) {
    const Fd out = Fd::open(image_.string(), O_CREAT | O_TRUNC | O_RDWR);
    write_qcow2(disk, out, options);
    return read_file(image_);
  }

  CommandResult qemu_img(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "qemu-img");
    return runner_.run({.argv = std::move(arguments)});
  }

  /// qemu-img finds nothing wrong, and the same bytes as on the raw disk.
  void expect_sound() {
    const CommandResult check = qemu_img({"check", image_.string()});
    EXPECT_EQ(check.status, ExitStatus(Exited{0})) << check.out << check.err;
    EXPECT_THAT(check.out, testing::HasSubstr("No errors were found"));
    const CommandResult compare = qemu_img({"compare", raw_.string(), image_.string()});
    EXPECT_EQ(compare.status, ExitStatus(Exited{0})) << compare.out << compare.err;
  }
};

TEST_F(Qcow2WriterTest, QemuReadsTheSameDiskBack) {
  disk(raw_, mixture(300), 3U << 30U);
  for (const Compression compression : k_all) {
    (void)write({.compression = compression});
    expect_sound();
  }
}

TEST_F(Qcow2WriterTest, TheNumberOfThreadsDoesNotChangeAByte) {
  disk(raw_, mixture(200), 100U << 20U);
  for (const Compression compression : k_all) {
    const std::string one = write({.compression = compression, .threads = 1});
    EXPECT_EQ(one, write({.compression = compression, .threads = 7}));
  }
}

TEST_F(Qcow2WriterTest, AnEmptyDiskAndOneOfNoSizeAreSound) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{512}, std::uint64_t{1} << 40U}) {
    disk(raw_, "", size);
    EXPECT_LT(write({}).size(), std::size_t{600} << 10U);
    expect_sound();
  }
}

TEST_F(Qcow2WriterTest, ADiskThatEndsWithinASectorIsRoundedUp) {
  disk(raw_, mixture(2) + "end", 2 * k_cluster + 3);
  (void)write({});
  const Json info = parse_json(qemu_img({"info", "--output=json", image_.string()}).out, "info").value_or_throw();
  EXPECT_EQ(info.at("virtual-size"), 2 * k_cluster + 512);
  expect_sound();
}

TEST_F(Qcow2WriterTest, OverABackingFileOnlyWhatDiffersIsWritten) {
  const fs::path base = work_.path() / "base.raw";
  std::string data = mixture(90);
  disk(base, data, 8U << 20U);
  for (std::size_t i = 10; i < 20; ++i) data[i * k_cluster + 7] ^= 1;
  std::fill_n(data.begin() + 60 * k_cluster, 3 * k_cluster, '\0');  // zeros where the base has data
  disk(raw_, data, 8U << 20U);
  const std::string image = write({.backing_raw = base, .backing_file = "base.raw"});
  EXPECT_LT(image.size(), 20 * k_cluster);
  expect_sound();
  const CommandResult info = qemu_img({"info", image_.string()});
  EXPECT_THAT(info.out, testing::HasSubstr("backing file format: raw"));
}

TEST_F(Qcow2WriterTest, WhatIsLeftOutOfTheRawDiskIsReadFromItsFiles) {
  const std::string data = mixture(90);
  disk(raw_, data, 100U << 20U);
  const std::string expected = write({});
  // The same disk; of its beginning a file holds the odd blocks, and another one a long stretch.
  constexpr std::uint64_t block = 4096;
  const fs::path sparse = work_.path() / "sparse";
  const fs::path odd = work_.path() / "odd";
  const fs::path stretch = work_.path() / "stretch";
  std::string rest = data;
  std::string odd_blocks;
  std::vector<FilePiece> left_out = {{stretch, 100, 40 * k_cluster, 30 * k_cluster}};
  for (std::uint64_t at = block; at < 20 * k_cluster; at += 2 * block) {
    left_out.push_back({odd, odd_blocks.size(), block, at});
    odd_blocks += data.substr(at, block);
    rest.replace(at, block, block, '\0');
  }
  rest.replace(30 * k_cluster, 40 * k_cluster, 40 * k_cluster, '\0');
  disk(sparse, rest, 100U << 20U);
  RealFileSystem().write(odd, odd_blocks, {});
  RealFileSystem().write(stretch, std::string(100, '-') + data.substr(30 * k_cluster, 40 * k_cluster), {});
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_TRUE(write(RawDisk(sparse, left_out), {.threads = threads}) == expected) << threads;
  }
  expect_sound();
  fs::resize_file(stretch, 200);
  EXPECT_THROW(write(RawDisk(sparse, left_out), {}), Error);
}

TEST_F(Qcow2WriterTest, AFullDiskIsSaidAndNoThreadIsLeftWaiting) {
  disk(raw_, mixture(200), 100U << 20U);
  const Fd full = Fd::open("/dev/full", O_WRONLY);
  EXPECT_THROW(write_qcow2(RawDisk(raw_), full, {.threads = 4}), Error);
}

}  // namespace
}  // namespace hearth::builder::qcow2
