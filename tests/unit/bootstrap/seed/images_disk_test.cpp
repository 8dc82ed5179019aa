#include "bootstrap/seed/images_disk.hpp"

#include <gtest/gtest.h>

#include "base/frames/frame_map.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::bootstrap {
namespace {

/// What mksquashfs was given, by name.
class ImagesDisk : public testing::Test {
 protected:
  ImagesDisk() {
    runner_.on("mksquashfs", [this](const Command& command) {
      for (const fs::directory_entry& entry : fs::directory_iterator(command.argv.at(1)))
        packed_[entry.path().filename().string()] = files_.read(entry.path()).value();
      return CommandResult{Exited{0}, "", ""};
    });
    files_.write(directory_.path() / "vmlinuz", "kernel", {});
    files_.write(directory_.path() / "initrd", "ramdisk", {});
  }
  Json packed(const std::string& image) {
    const fs::path file = directory_.path() / "node.raw";
    files_.write(file, image, {});
    return pack_image({"site", file, {directory_.path() / "vmlinuz", directory_.path() / "initrd"}},
                      directory_.path() / "images.squashfs", runner_);
  }

  RealFileSystem files_;
  TempDir directory_ = TempDir::create("/tmp", "hearth-images-disk-");
  fakes::ScriptedRunner runner_;
  std::map<std::string, std::string> packed_;
};

TEST_F(ImagesDisk, HasFramesBesideTheImageThatMachinesGiveEachOther) {
  const Json record = packed(std::string(std::size_t{3} << 20U, 'x'));
  ASSERT_EQ(packed_.size(), 4U);
  EXPECT_EQ(packed_["site.kernel"], "kernel");
  EXPECT_EQ(packed_["site.ramdisk"], "ramdisk");
  EXPECT_EQ(packed_["site.raw"].size(), std::size_t{3} << 20U);
  const std::string& frames = packed_["site.frames"];
  const auto head = frames::parse_head(frames.substr(0, frames::k_head_bytes), "the frames");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->disk_size, std::size_t{3} << 20U);
  EXPECT_EQ(record["frames_root"], frames::root_of(frames.substr(0, frames::k_head_bytes + head->map_bytes())));
  EXPECT_EQ(record["frames"], cat(k_images_place, "/site.frames"));
  EXPECT_EQ(record["file"], cat(k_images_place, "/site.raw"));
}

TEST_F(ImagesDisk, OfAnImageThatIsNoDiskInItselfThereAreNone) {
  const Json record = packed("\x1f\x8b compressed as a whole");
  EXPECT_FALSE(packed_.contains("site.frames"));
  EXPECT_FALSE(record.contains("frames_root"));
  EXPECT_EQ(record["image_os_hash_algo"], "sha256");
}

}  // namespace
}  // namespace hearth::bootstrap
