#include "builder/disk/copy/data_copy.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

class DataCopyTest : public DiskFixture {
 protected:
  fs::path image_ = work_.path() / "image";
  void SetUp() override {
    files_.write(image_, "", {});
    fs::resize_file(image_, 16 * k_mib);
  }
  static std::string file(const fs::path& path, std::size_t bytes, char letter) {
    std::string text(bytes, letter);
    for (std::size_t i = 0; i < bytes; i += 97) text[i] = static_cast<char>(i / 97);
    RealFileSystem().write(path, text, {});
    return text;
  }
};

TEST_F(DataCopyTest, PiecesGoToTheirPlacesAndBlocksAreFilledUpWithZeros) {
  const fs::path small = work_.path() / "small";
  const fs::path large = work_.path() / "large";
  const std::string a = file(small, 5000, 's');
  const std::string b = file(large, 5 * k_mib + 77, 'l');
  for (const unsigned threads : {1U, 3U}) {
    std::string expected(16 * k_mib, '\xee');
    files_.write(image_, expected, {});
    const auto put = [&](std::uint64_t at, std::string bytes) {
      bytes.resize((bytes.size() + 4095) / 4096 * 4096);
      expected.replace(at, bytes.size(), bytes);
    };
    put(4096, a);
    put(12288, a.substr(4096));
    put(k_mib, b);
    put(9 * k_mib, b.substr(2 * k_mib, k_mib));
    copy_pieces({{small, 0, 5000, 4096},
                 {small, 4096, 904, 12288},
                 {large, 0, b.size(), k_mib},
                 {large, 2 * k_mib, k_mib, 9 * k_mib}},
                image_, 4096, threads);
    EXPECT_TRUE(read_file(image_) == expected) << threads;
  }
}

TEST_F(DataCopyTest, AFileThatIsTooShortOrGoneIsSaidByItsName) {
  const fs::path name = work_.path() / "short";
  const fs::path gone = work_.path() / "gone";
  (void)file(name, 100, 's');
  const auto story = [&](const FilePiece& piece) -> std::string {
    try {
      copy_pieces({piece}, image_, 4096, 2);
    } catch (const Error& error) {
      return error.story();
    }
    return "copied";
  };
  EXPECT_THAT(story({name, 0, 101, 0}), testing::HasSubstr("short became shorter"));
  EXPECT_THAT(story({gone, 0, 1, 0}), testing::HasSubstr("gone"));
}

}  // namespace
}  // namespace hearth::builder
