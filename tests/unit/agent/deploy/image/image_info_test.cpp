#include "agent/deploy/image/image_info.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::agent::deploy {
namespace {

Json info(const Json& more) {
  Json all = {{"id", "i"}, {"urls", {"http://192.0.2.1/i"}}, {"os_hash_algo", "sha256"}, {"os_hash_value", "AB"}};
  all.update(more);
  return all;
}

std::string problem(const Json& json) {
  try {
    static_cast<void>(parse_image_info(json));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ImageInfo, WhatIsMissingIsToldInIronicPythonAgentsWords) {
  EXPECT_EQ(problem(Json::object()), "Image is missing 'id' field.");
  EXPECT_EQ(problem({{"id", "i"}}), "Image is missing 'urls' field.");
  EXPECT_EQ(problem({{"id", "i"}, {"urls", Json::array()}}), "Image 'urls' must be a list with at least one element.");
  EXPECT_NE(problem({{"id", "i"}, {"urls", {"u"}}}).find("Image is missing 'checksum' field"), std::string::npos);
  EXPECT_NE(problem(info({{"os_hash_algo", "crc"}})).find("crc is not known"), std::string::npos);
  EXPECT_NE(problem(info({{"image_type", "partition"}})).find("root_mb (root_gb of the node) is needed"),
            std::string::npos);
  EXPECT_NE(problem(info({{"image_type", "partition"}, {"root_mb", "x"}})).find("root_mb is no number"),
            std::string::npos);
}

TEST(ImageInfo, APartitionImageBringsTheSizesOfWhatIsToBeMade) {
  EXPECT_FALSE(parse_image_info(info({{"image_type", "whole-disk"}, {"root_mb", 5}})).partitions);
  const ImageInfo image = parse_image_info(info({{"image_type", "partition"},
                                                 {"root_mb", 4096},
                                                 {"swap_mb", "512"},
                                                 {"ephemeral_mb", 100},
                                                 {"ephemeral_format", nullptr},
                                                 {"preserve_ephemeral", true},
                                                 {"disk_label", "gpt"},
                                                 {"deploy_boot_mode", "bios"}}));
  ASSERT_TRUE(image.partitions);
  EXPECT_EQ(image.partitions->root_mib, 4096U);
  EXPECT_EQ(image.partitions->swap_mib, 512U);
  EXPECT_EQ(image.partitions->ephemeral_mib, 100U);
  EXPECT_EQ(image.partitions->ephemeral_format, "ext4");
  EXPECT_TRUE(image.partitions->preserve_ephemeral && image.partitions->gpt && !image.partitions->uefi);
  const ImageInfo uefi =
      parse_image_info(info({{"image_type", "partition"}, {"root_mb", 1}, {"deploy_boot_mode", "UEFI"}}));
  EXPECT_TRUE(uefi.partitions->uefi && uefi.partitions->gpt && !uefi.partitions->preserve_ephemeral);
}

TEST(ImageInfo, TheHashValueCountsBeforeTheOldChecksum) {
  const ImageInfo image = parse_image_info(info({{"checksum", std::string(32, 'a')}}));
  EXPECT_EQ(image.checksum->kind, HashKind::sha256);
  EXPECT_EQ(image.checksum->value, "ab");
}

TEST(ImageInfo, TheLengthOfAnOldChecksumTellsItsKind) {
  const Json old = {{"id", "i"}, {"urls", {"u"}}, {"checksum", std::string(128, 'A')}};
  EXPECT_EQ(parse_image_info(old).checksum->kind, HashKind::sha512);
}

TEST(ImageInfo, ARootOfAFramesFileTakesTheChecksumsPlace) {
  const ImageInfo image = parse_image_info(info({{"os_hash_algo", "hearth-frames"}}));
  EXPECT_FALSE(image.checksum);
  EXPECT_EQ(image.root, "ab");
}

TEST(ImageInfo, PeersAreTakenFromTheOrder) {
  EXPECT_TRUE(parse_image_info(info(Json::object())).peers.empty());
  const ImageInfo image =
      parse_image_info(info({{"peers", {{{"url", "http://192.0.2.1:9999"}, {"token", "t"}}, nullptr}}}));
  ASSERT_EQ(image.peers.size(), 2U);
  EXPECT_EQ(image.peers[0]->url, "http://192.0.2.1:9999");
  EXPECT_FALSE(image.peers[1]);
}

TEST(ImageInfo, CredentialsBecomeAHeader) {
  const Json basic = {
      {"image_server_auth_strategy", "http_basic"}, {"image_server_user", "u"}, {"image_server_password", "p"}};
  EXPECT_EQ(parse_image_info(info(basic)).authorization, "Basic dTpw");
}

TEST(ImageInfo, ListsOfChecksumsAreReadInTheirThreeForms) {
  EXPECT_EQ(find_checksum("AA  other\nBB  i.raw\n", "i.raw"), "bb");
  EXPECT_EQ(find_checksum("aa *i.raw\n", "i.raw"), "aa");
  EXPECT_EQ(find_checksum("# c\nSHA256 (i.raw) = CC\n", "i.raw"), "cc");
  EXPECT_EQ(find_checksum("DD\n", "i.raw"), "dd");
  EXPECT_EQ(find_checksum("aa  other\n", "i.raw"), std::nullopt);
}

}  // namespace
}  // namespace hearth::agent::deploy
