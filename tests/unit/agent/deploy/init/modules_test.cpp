#include "agent/deploy/init/modules.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::agent::deploy {
namespace {

using Files = std::vector<std::string>;

const char* const k_dep =
    "kernel/drivers/virtio/virtio.ko: kernel/drivers/virtio/virtio_ring.ko\n"
    "kernel/drivers/virtio/virtio_ring.ko:\n"
    "kernel/drivers/net/virtio-net.ko: kernel/drivers/virtio/virtio.ko kernel/drivers/virtio/virtio_ring.ko\n";
const char* const k_alias =
    "# a comment\n"
    "alias virtio:d00000001v* virtio_net\n"
    "alias pci:v00001AF4d*sv*sd*bc*sc*i* virtio\n"
    "alias fs-vfat vfat\n";

TEST(Modules, WhatAModuleNeedsIsLoadedBeforeIt) {
  const ModuleCatalog catalog(k_dep, k_alias);
  EXPECT_EQ(catalog.files_for("virtio_net"),
            (Files{"kernel/drivers/virtio/virtio_ring.ko", "kernel/drivers/virtio/virtio.ko",
                   "kernel/drivers/net/virtio-net.ko"}));
  EXPECT_EQ(catalog.files_for("virtio-net"), catalog.files_for("virtio_net"));
}

TEST(Modules, ADevicesAliasNamesItsModules) {
  const ModuleCatalog catalog(k_dep, k_alias);
  EXPECT_EQ(catalog.files_for("virtio:d00000001v00001AF4").back(), "kernel/drivers/net/virtio-net.ko");
  EXPECT_EQ(catalog.files_for("pci:v00001AF4d00001000sv1sd2bc02sc00i00").back(), "kernel/drivers/virtio/virtio.ko");
  EXPECT_EQ(catalog.files_for("pci:v00008086d00001000sv1sd2bc02sc00i00"), Files{});
  EXPECT_EQ(catalog.files_for("fs-vfat"), Files{}) << "the module is not there";
}

TEST(Modules, ACompressedFileHoldsAModule) {
  const std::string gzip(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xcd\x4f\x29\xcd\x49\x05\x00\x28\x26\x24\x0c\x06\x00\x00\x00", 26);
  EXPECT_EQ(decompressed_module(gzip, StreamInflater::Kind::gzip), "module");
  EXPECT_THROW((void)decompressed_module(gzip.substr(0, 20), StreamInflater::Kind::gzip), Error);
  EXPECT_THROW((void)decompressed_module("\x7f"
                                         "ELF",
                                         StreamInflater::Kind::zstd),
               Error);
}

}  // namespace
}  // namespace hearth::agent::deploy
