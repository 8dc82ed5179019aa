#include "builder/frames/image_frames.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "builder/qcow2/disk_format.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::builder::frames {
namespace {

struct Folder {
  fs::path file(const std::string& name, const std::string& text) const {
    RealFileSystem().write((dir.path() / name).string(), text, {});
    return dir.path() / name;
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-image-frames");
};

TEST(ImageFrames, ADiskInItselfIsNeitherCompressedNorMadeOfOtherFiles) {
  const Folder folder;
  const auto is_whole = [&](const std::string& text, std::string_view format) {
    return is_whole_disk(folder.file("image", text), format);
  };
  EXPECT_TRUE(is_whole(std::string(4096, 'd'), "raw"));
  EXPECT_TRUE(is_whole("d", "raw"));
  EXPECT_FALSE(is_whole("", "raw"));
  EXPECT_FALSE(is_whole(std::string("\x1f\x8b\x08\x00", 4), "raw"));
  EXPECT_FALSE(is_whole("\x28\xb5\x2f\xfd and so on", "raw"));
  const std::string plain = qcow2::header_bytes({.virtual_size = 1U << 20U});
  EXPECT_TRUE(is_whole(plain, "qcow2"));
  EXPECT_FALSE(is_whole(plain, "raw")) << "an agent would not take it either";
  EXPECT_FALSE(is_whole(std::string(4096, 'd'), "qcow2"));
  EXPECT_FALSE(is_whole(qcow2::header_bytes({.virtual_size = 1U << 20U, .backing_file = "/etc/shadow"}), "qcow2"));
  std::string external = plain;
  external[79] = '\4';
  EXPECT_FALSE(is_whole(external, "qcow2"));
}

TEST(ImageFrames, ASmallDiskHasSmallFrames) {
  const Folder folder;
  fakes::ScriptedRunner none;
  const auto block_of = [&](std::uint64_t size) {
    const fs::path raw = folder.file("raw", "boot");
    fs::resize_file(raw, size);
    const TempDir scratch = TempDir::create(folder.dir.path(), "scratch");
    const std::string out = (folder.dir.path() / "out").string();
    const Fd to = Fd::open(out, O_RDWR | O_CREAT | O_TRUNC, 0600);
    static_cast<void>(write_image_frames(raw, scratch.path(), to, {.threads = 1}, none));
    return hearth::frames::parse_head(read_file(out).substr(0, hearth::frames::k_head_bytes), out)
        .value_or_throw()
        .block_size;
  };
  EXPECT_EQ(block_of(5), 256U << 10U);
  EXPECT_EQ(block_of(100U << 20U), 256U << 10U);
  EXPECT_EQ(block_of(200U << 20U), 512U << 10U);
  EXPECT_EQ(block_of(std::uint64_t{4} << 30U), 1U << 20U);
}

}  // namespace
}  // namespace hearth::builder::frames
