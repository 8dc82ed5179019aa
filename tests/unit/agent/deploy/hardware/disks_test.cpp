#include "agent/deploy/hardware/disks.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/memory_file_system.hpp"

namespace hearth::agent::deploy {
namespace {

TEST(Disks, AreReadFromSysfsWithoutUdev) {
  fakes::MemoryFileSystem files;
  files.put("/sys/block/loop0/size", "8\n");
  files.put("/sys/block/sr0/size", "8\n");
  files.put("/sys/block/vda/size", "10485760\n");
  files.put("/sys/block/vda/serial", "VB1");
  files.put("/sys/block/vda/queue/rotational", "1\n");
  files.put("/sys/block/vda/device/vendor", "0x1af4\n");
  files.put("/sys/block/sda/size", "2097152\n");
  files.put("/sys/block/sda/device/model", "QEMU HARDDISK   \n");
  files.put("/sys/block/sda/device/vpd_pg80", std::string("\0\x80\0\x07QM00001", 11));
  files.put("/sys/block/sda/device/wwid", "naa.5000C500A1B2C3D4E5F60718293A4B5C\n");
  files.put("/sys/block/sda/device/scsi_device/0:0:0:0/uevent", "");
  files.put("/sys/block/sda/holders/dm-0/dev", "");
  files.put("/sys/devices/pci0000:00/0000:00:1f.2/ata3/ata_port/ata3/port_no", "3\n");
  const auto links = [](const std::string& path) -> std::string {
    if (path == "/sys/block/vda") return "/sys/devices/pci0000:00/0000:00:04.0/virtio1/block/vda";
    return "/sys/devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sda";
  };
  const std::vector<Disk> disks = find_disks(files, links);
  ASSERT_EQ(disks.size(), 2U);
  const Json sda = disk_json(disks[0]);
  EXPECT_EQ(sda["name"], "/dev/sda");
  EXPECT_EQ(sda["model"], "QEMU HARDDISK");
  EXPECT_EQ(sda["serial"], "QM00001");
  EXPECT_EQ(sda["wwn"], "0x5000c500a1b2c3d4");
  EXPECT_EQ(sda["wwn_with_extension"], "0x5000c500a1b2c3d4e5f60718293a4b5c");
  EXPECT_EQ(sda["wwn_vendor_extension"], "0xe5f60718293a4b5c");
  EXPECT_EQ(sda["hctl"], "0:0:0:0");
  EXPECT_EQ(sda["by_path"], "/dev/disk/by-path/pci-0000:00:1f.2-ata-3");
  EXPECT_EQ(sda["tran"], "sata");
  EXPECT_TRUE(disks[0].held);
  EXPECT_EQ(disks[1].name, "/dev/vda");
  EXPECT_EQ(disks[1].size, std::uint64_t{5} << 30U);
  EXPECT_EQ(disks[1].serial, "VB1");
  EXPECT_EQ(disks[1].by_path, "/dev/disk/by-path/pci-0000:00:04.0");
  EXPECT_TRUE(disks[1].rotational);
}

TEST(Disks, ADiskOfWhichAPartitionBelongsToRaidIsHeld) {
  fakes::MemoryFileSystem files;
  files.put("/sys/block/sda/size", "10485760\n");
  files.put("/sys/block/sda/sda1/partition", "1\n");
  files.put("/sys/block/sdb/size", "10485760\n");
  files.put("/sys/block/sdb/sdb1/partition", "1\n");
  files.put("/sys/block/sdb/sdb2/holders/md127/dev", "");
  const std::vector<Disk> disks = find_disks(files, [](const std::string& path) { return path; });
  ASSERT_EQ(disks.size(), 2U);
  EXPECT_FALSE(disks[0].held);
  EXPECT_TRUE(disks[1].held);
}

TEST(Disks, ThePathsOfAnNvmeDiskAreNoDisks) {
  fakes::MemoryFileSystem files;
  files.put("/sys/block/nvme0n1/size", "10485760\n");
  files.put("/sys/block/nvme0n1/hidden", "0\n");
  files.put("/sys/block/nvme0c0n1/size", "10485760\n");
  files.put("/sys/block/nvme0c0n1/hidden", "1\n");
  const std::vector<Disk> disks = find_disks(files, [](const std::string& path) { return path; });
  ASSERT_EQ(disks.size(), 1U);
  EXPECT_EQ(disks[0].name, "/dev/nvme0n1");
}

}  // namespace
}  // namespace hearth::agent::deploy
