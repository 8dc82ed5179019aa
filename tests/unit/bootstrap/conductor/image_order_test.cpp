#include "bootstrap/conductor/image_order.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

Node image_order_with_image() {
  Node node;
  node.uuid = "u";
  node.instance_info = {{"image_source", "http://192.0.2.1/images/web.qcow2"},
                        {"image_os_hash_algo", "sha256"},
                        {"image_os_hash_value", "00"}};
  return node;
}

TEST(ImageOrder, anImageIsNotWrittenUnchecked) {
  EXPECT_TRUE(image_faults(image_order_with_image()).empty());
  EXPECT_EQ(image_faults({}).size(), 1U);
  Node node = image_order_with_image();
  node.instance_info.erase("image_os_hash_value");
  EXPECT_NE(image_faults(node).at(0).find("unchecked"), std::string::npos);
  for (const char* wrong : {"abc", "zz345678901234567890123456789012"}) {
    node.instance_info["image_checksum"] = wrong;
    EXPECT_NE(image_faults(node).at(0).find(cat("image_checksum ", wrong, " is neither")), std::string::npos) << wrong;
  }
  node.instance_info["image_checksum"] = "0123456789abcdef0123456789ABCDEF";
  EXPECT_TRUE(image_faults(node).empty());
  node.instance_info["image_os_hash_value"] = "00";
  node.instance_info["image_os_hash_algo"] = "crc32";
  EXPECT_EQ(image_faults(node),
            std::vector<std::string>{"image_os_hash_algo crc32 is none of md5, sha1, sha256 and sha512"});
  node.instance_info["image_os_hash_algo"] = "SHA512";
  EXPECT_TRUE(image_faults(node).empty());
  node.instance_info["image_source"] = "glance://x";
  node.instance_info["image_type"] = "iso";
  EXPECT_EQ(image_faults(node).size(), 2U);
}

TEST(ImageOrder, aPartitionImageNeedsTheSizeOfItsPartition) {
  Node node = image_order_with_image();
  node.instance_info["image_type"] = "partition";
  ASSERT_EQ(image_faults(node).size(), 1U);
  EXPECT_NE(image_faults(node)[0].find("no root_gb"), std::string::npos);
  node.instance_info["root_gb"] = "10";
  node.instance_info["swap_mb"] = 512;
  EXPECT_TRUE(image_faults(node).empty());
  node.instance_info["ephemeral_gb"] = "many";
  EXPECT_EQ(image_faults(node), std::vector<std::string>{"instance_info/ephemeral_gb is no whole number"});
  node.instance_info["ephemeral_gb"] = 1;
  node.instance_info["image_type"] = "whole-disk";
  EXPECT_EQ(image_faults(node).size(), 2U) << join(image_faults(node), "\n");
}

TEST(ImageOrder, theAgentIsToldWhatPartitionsToMake) {
  Node node = image_order_with_image();
  EXPECT_FALSE(image_info(node).contains("root_mb"));
  node.instance_info.update({{"kernel", "http://192.0.2.1/k"},
                             {"ramdisk", "http://192.0.2.1/r"},
                             {"root_gb", 2},
                             {"swap_mb", "64"},
                             {"preserve_ephemeral", true}});
  node.properties["capabilities"] = "boot_mode:uefi,disk_label:gpt";
  EXPECT_TRUE(is_partition_image(node)) << "Ironic's way to tell one";
  const Json info = image_info(node);
  EXPECT_EQ(info["image_type"], "partition");
  EXPECT_EQ(info["root_mb"], 2048);
  EXPECT_EQ(info["swap_mb"], 64);
  EXPECT_EQ(info["ephemeral_mb"], 0);
  EXPECT_EQ(info["disk_label"], "gpt");
  EXPECT_EQ(info["deploy_boot_mode"], "uefi");
  EXPECT_EQ(info["preserve_ephemeral"], true);
  node.instance_info["image_type"] = "whole-disk";
  EXPECT_FALSE(is_partition_image(node));
}

/// As `hearth image load` registers it: beside the image there are its frames.
struct LoadedImage {
  LoadedImage() {
    write_file_text(folder.path() / "web.frames", "HearthF1");
    record = {{"name", "web"},
              {"file", (folder.path() / "web.qcow2").string()},
              {"image_source", "http://192.0.2.1/images/web.qcow2"},
              {"image_os_hash_algo", "sha256"},
              {"image_os_hash_value", "00"},
              {"frames", (folder.path() / "web.frames").string()},
              {"frames_root", "f0"}};
    node.internal["agent_version"] = HEARTH_VERSION;
  }
  static void write_file_text(const fs::path& file, const std::string& text) {
    RealFileSystem().write(file.string(), text, {});
  }
  [[nodiscard]] bool has_frames() const { return frames_of({{{"name", "other"}}, record}, node).has_value(); }

  TempDir folder = TempDir::create(fs::temp_directory_path(), "hearth-order");
  Json record;
  Node node = image_order_with_image();
};

TEST(ImageOrder, whatWasLoadedIsGivenAsItsFrames) {
  const LoadedImage loaded;
  const auto frames = frames_of({{{"name", "other"}}, loaded.record}, loaded.node);
  ASSERT_TRUE(frames);
  Json image = image_info(loaded.node);
  order_frames(image, *frames);
  EXPECT_EQ(image["urls"], Json::array({"http://192.0.2.1/images/web.frames"}));
  EXPECT_EQ(image["os_hash_algo"], "hearth-frames");
  EXPECT_EQ(image["os_hash_value"], "f0");
  EXPECT_EQ(image["disk_format"], "frames");
  EXPECT_EQ(image["id"], "web.qcow2") << "as people know it";
}

TEST(ImageOrder, itsFileIsGivenWhereFramesMightNotBeWhatWasAskedFor) {
  EXPECT_TRUE(LoadedImage().has_frames());
  const auto still = [](const auto& change) {
    LoadedImage loaded;
    change(loaded);
    return loaded.has_frames();
  };
  EXPECT_FALSE(still([](LoadedImage& it) { it.node.instance_info["image_os_hash_value"] = "01"; })) << "another digest";
  EXPECT_FALSE(still([](LoadedImage& it) { it.node.instance_info["image_os_hash_algo"] = "md5"; }));
  EXPECT_FALSE(still([](LoadedImage& it) { it.node.instance_info["image_signature"] = "aa"; })) << "of the file";
  EXPECT_FALSE(still([](LoadedImage& it) { it.node.internal["agent_version"] = "9.9.0"; })) << "knows no frames";
  EXPECT_FALSE(still([](LoadedImage& it) { it.record["image_source"] = "http://192.0.2.7/images/web.qcow2"; }));
  EXPECT_FALSE(still([](LoadedImage& it) { it.record.erase("frames"); }));
  EXPECT_FALSE(still([](LoadedImage& it) { fs::remove(it.folder.path() / "web.frames"); })) << "taken away by hand";
}

}  // namespace
}  // namespace hearth::bootstrap
