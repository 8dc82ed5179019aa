#include "builder/qcow2/raw_disk.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder::qcow2 {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t k_mib = 1U << 20U;

class RawDiskTest : public testing::Test {
 protected:
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "raw-");
  fs::path raw_ = work_.path() / "disk";
  fs::path file_ = work_.path() / "file";

  /// A disk of 4 MiB with text at its beginning only.
  void SetUp() override {
    RealFileSystem().write(raw_, "begin", {});
    fs::resize_file(raw_, 4 * k_mib);
    RealFileSystem().write(file_, "0123456789", {});
  }
  static std::string text(const RawDisk& disk, std::uint64_t offset, std::size_t length) {
    std::vector<std::uint8_t> buffer(length, 0xff);
    disk.read(offset, buffer);
    std::string text(buffer.begin(), buffer.end());
    for (char& each : text) each = each == '\0' ? '.' : each;
    return text;
  }
};

TEST_F(RawDiskTest, AFileIsReadAndBehindItsEndThereAreZeros) {
  fs::resize_file(raw_, 1001);
  const RawDisk disk(raw_);
  EXPECT_EQ(disk.size(), 1024U);  // whole sectors
  EXPECT_EQ(text(disk, 3, 4), "in..");
  EXPECT_EQ(text(disk, 1000, 24), std::string(24, '.'));
}

TEST_F(RawDiskTest, PiecesAreReadFromTheirFilesBetweenWhatTheDiskHolds) {
  const RawDisk disk(raw_, {{file_, 5, 5, k_mib + 4}, {file_, 0, 2, k_mib}, {file_, 2, 3, 2 * k_mib}});
  EXPECT_EQ(text(disk, 0, 6), "begin.");
  EXPECT_EQ(text(disk, k_mib - 2, 13), "..01..56789..");
  EXPECT_EQ(text(disk, k_mib + 1, 5), "1..56");  // from the middle of one piece into the middle of the next
  EXPECT_EQ(text(disk, k_mib + 6, 2), "78");
  EXPECT_EQ(text(disk, 2 * k_mib + 2, 3), "4..");
}

TEST_F(RawDiskTest, DataIsFoundInTheFileAndInPieces) {
  const RawDisk disk(raw_, {{file_, 0, 10, 3 * k_mib},
                            {file_, 0, 4, k_mib},
                            {file_, 0, 1, 2 * k_mib},
                            {file_, 0, 2, 2 * k_mib + 4096},
                            {file_, 0, 3, 2 * k_mib + 8192},
                            {file_, 0, 1, 2 * k_mib + 16384}});
  const auto first = disk.data_from(0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->begin, 0U);
  EXPECT_LT(first->end, k_mib);
  EXPECT_EQ(disk.data_from(first->end), (Stretch{k_mib, k_mib + 4}));
  EXPECT_EQ(disk.data_from(k_mib + 2), (Stretch{k_mib + 2, k_mib + 4}));
  // Files in blocks side by side are one stretch; behind an empty block there is another.
  EXPECT_EQ(disk.data_from(k_mib + 4), (Stretch{2 * k_mib, 2 * k_mib + 8195}));
  EXPECT_EQ(disk.data_from(2 * k_mib + 8195), (Stretch{2 * k_mib + 16384, 2 * k_mib + 16385}));
  EXPECT_EQ(disk.data_from(2 * k_mib + 16385), (Stretch{3 * k_mib, 3 * k_mib + 10}));
  EXPECT_EQ(disk.data_from(3 * k_mib + 10), std::nullopt);
}

TEST_F(RawDiskTest, AFileThatIsTooShortOrGoneIsSaidByItsName) {
  const auto story = [&](const FilePiece& piece) -> std::string {
    try {
      (void)text(RawDisk(raw_, {piece}), piece.to, piece.length);
    } catch (const Error& error) {
      return error.story();
    }
    return "read";
  };
  EXPECT_EQ(story({file_, 0, 10, 0}), "read");
  EXPECT_THAT(story({file_, 0, 11, 0}), HasSubstr("file became shorter"));
  EXPECT_THAT(story({work_.path() / "gone", 0, 1, 0}), HasSubstr("gone"));
  EXPECT_THAT(story({work_.path(), 0, 1, 0}), HasSubstr(work_.path().string()));
}

}  // namespace
}  // namespace hearth::builder::qcow2
