#include "builder/vm/qemu_machine.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder::vm {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string argv_text(const QemuMachine& machine) { return join(qemu_argv(machine), " "); }

TEST(QemuMachineTest, TheImageIsNeverChangedUnlessWished) {
  EXPECT_THAT(argv_text({.image = "a.qcow2"}),
              HasSubstr("-drive if=none,id=disk,format=qcow2,snapshot=on,file=a.qcow2"));
  EXPECT_THAT(argv_text({.image = "a", .disk_writes = DiskWrites::kept}), HasSubstr("snapshot=off"));
}

TEST(QemuMachineTest, TheGuestSeesTheSectorsOfTheDisk) {
  EXPECT_THAT(argv_text({.sector_size = 4096}),
              HasSubstr("virtio-blk-pci,drive=disk,logical_block_size=4096,physical_block_size=4096"));
}

TEST(QemuMachineTest, ACdLiesInADriveOfItsOwn) {
  EXPECT_THAT(argv_text({.image = "a.iso", .cd_drive = true}),
              HasSubstr("format=raw,media=cdrom,readonly=on,file=a.iso -device ide-cd,drive=disk"));
}

TEST(QemuMachineTest, SecureBootNeedsSystemManagementMode) {
  const std::string text = argv_text({.firmware = FirmwareKind::uefi_secure, .ovmf = {"CODE", "VARS"}});
  EXPECT_THAT(text, HasSubstr("-machine q35,smm=on "));
  EXPECT_THAT(text, HasSubstr("-global driver=cfi.pflash01,property=secure,value=on"));
  EXPECT_THAT(text, HasSubstr("file=VARS"));
}

TEST(QemuMachineTest, CommasInAPathAreDoubled) { EXPECT_THAT(argv_text({.image = "a,b"}), HasSubstr("file=a,,b")); }

TEST(QemuMachineTest, UefiHasReadOnlyCodeAndItsOwnVariables) {
  const std::string text = argv_text({.firmware = FirmwareKind::uefi, .ovmf = {"CODE", "VARS"}});
  EXPECT_THAT(text, HasSubstr("if=pflash,unit=0,format=raw,readonly=on,file=CODE"));
  EXPECT_THAT(text, HasSubstr("if=pflash,unit=1,format=raw,file=VARS"));
  EXPECT_THAT(argv_text({}), Not(HasSubstr("pflash")));
}

TEST(QemuMachineTest, ThereIsNoNetworkUnlessWished) {
  EXPECT_THAT(argv_text({}), HasSubstr("-nic none"));
  EXPECT_THAT(argv_text({.user_network = true}), HasSubstr("-nic user,model=virtio-net-pci"));
}

TEST(QemuMachineTest, PortsLeadFromTheLoopbackToAGuestThatReachesNothing) {
  EXPECT_THAT(
      argv_text({.forwards = {{8080, 80}, {2222, 22}}}),
      HasSubstr(
          "-nic user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:8080-:80,hostfwd=tcp:127.0.0.1:2222-:22"));
  EXPECT_THAT(argv_text({.user_network = true, .forwards = {{8080, 80}}}),
              HasSubstr("-nic user,model=virtio-net-pci,hostfwd=tcp:127.0.0.1:8080-:80"));
}

TEST(QemuMachineTest, ASharedDirectoryIsReadOnlyUnlessItIsSaid) {
  EXPECT_THAT(argv_text({.share = SharedDirectory{"/a,b"}}),
              HasSubstr("-virtfs local,path=/a,,b,mount_tag=share,security_model=none,readonly=on"));
  EXPECT_THAT(argv_text({.share = SharedDirectory{"/a", true}}), Not(HasSubstr("readonly")));
  EXPECT_THAT(argv_text({}), Not(HasSubstr("virtfs")));
}

TEST(QemuMachineTest, AKeyForRootComesByTheFirmware) {
  EXPECT_THAT(
      argv_text({.ssh_key = "ssh-ed25519 AAAA\n"}),
      HasSubstr(
          "-smbios type=11,value=io.systemd.credential.binary:ssh.authorized_keys.root=c3NoLWVkMjU1MTkgQUFBQQo="));
}

TEST(QemuMachineTest, TheTerminalGetsQemusKeys) {
  EXPECT_THAT(argv_text({.serial = SerialLine::terminal}), HasSubstr("-serial mon:stdio"));
  EXPECT_THAT(argv_text({}), HasSubstr("-serial stdio -monitor none"));
}

TEST(QemuMachineTest, AWatchedBiosSpeaksOnTheSerialLine) {
  EXPECT_THAT(argv_text({}), HasSubstr("-machine pc,graphics=off "));
  EXPECT_THAT(argv_text({.serial = SerialLine::terminal}), HasSubstr("-machine pc "));
  EXPECT_THAT(argv_text({.firmware = FirmwareKind::uefi, .ovmf = {"C", "V"}}), HasSubstr("-machine pc "));
}

TEST(QemuMachineTest, TheProcessorFollowsTheAccelerator) {
  EXPECT_THAT(argv_text({}), HasSubstr("-accel tcg -cpu max"));
  EXPECT_THAT(argv_text({.accelerator = "kvm"}), HasSubstr("-accel kvm -cpu host"));
}

TEST(ImageFormatTest, TheFirstBytesTell) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "format-");
  const auto format_of = [&work](const std::string& bytes) {
    RealFileSystem().write(work.path() / "image", bytes, {});
    return image_format_of(work.path() / "image");
  };
  EXPECT_EQ(format_of("QFI\xfb rest"), "qcow2");
  EXPECT_EQ(format_of("KDMV"), "vmdk");
  EXPECT_EQ(format_of("vhdxfile"), "vhdx");
  EXPECT_EQ(format_of(cat(std::string(64, ' '), "\x7f\x10\xda\xbe")), "vdi");
  EXPECT_EQ(format_of("anything"), "raw");
  EXPECT_THROW((void)image_format_of("/nowhere"), Error);
  EXPECT_THROW(format_of(""), Error);
}

}  // namespace
}  // namespace hearth::builder::vm
