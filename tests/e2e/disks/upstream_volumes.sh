#!/bin/bash
# Upstream's own elements for volumes, unmodified: lvm, growvols and block-device-efi-lvm (with its bootloader) build
# through the guestfs maker, what they made is there, and it starts: upstream_volumes.sh DIRECTORY, which has the tree of
# boot_tree.sh. That stands for the Ubuntu that `lvm` insists on.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
directory=$1
. "$(dirname "$0")/../lib.sh"
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
[ -s "$directory/tree.tar" ] || { echo "SKIPPED: there is no tree (e2e.boot_tree)" && exit 77; }
export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg PATH=$PATH:/usr/sbin:/sbin
for program in supermin guestfish qemu-system-x86_64; do
    type -P $program > /dev/null || { echo "SKIPPED: $program is needed" && exit 77; }
done
upstream=/usr/lib/python3/dist-packages/diskimage_builder/elements
[ -d $upstream/lvm ] || { echo "SKIPPED: python3-diskimage-builder is needed" && exit 77; }
ls /boot/vmlinuz-* > /dev/null 2>&1 || { echo "SKIPPED: a kernel in /boot is needed" && exit 77; }

mkdir -p elements/ubuntu-minimal/{environment.d,root.d}
printf 'operating-system\n' > elements/ubuntu-minimal/element-provides
printf 'dpkg\n' > elements/ubuntu-minimal/element-deps
echo 'export DISTRO_NAME=ubuntu DIB_RELEASE=focal DIB_INIT_SYSTEM=systemd DIB_UBUNTU_KERNEL=linux-image-cloud-amd64 EFI_BOOT_DIR=EFI/ubuntu' > elements/ubuntu-minimal/environment.d/10-distro.bash
cp "$here/elements/debian-tree/root.d/10-unpack" elements/ubuntu-minimal/root.d/
export DIB_BOOTLOADER_DEFAULT_CMDLINE='console=ttyS0 mitigations=off no_timer_check apparmor=0 init=/usr/local/sbin/small-init'
export DEBIAN_TREE=$directory/tree.tar ELEMENTS_PATH=$work/elements:$upstream
"$HEARTH" image create -t qcow2 -o disk --image-size 44 ubuntu-minimal growvols lvm block-device-efi-lvm > out 2>&1 < /dev/null ||
    { fail "create: $(tail -60 out)"; finish; }
expect_text disk.d/build.log 'Disk maker: guestfs' 'volume group vg' 'filling xfs fs_root' 'filling xfs fs_home' 'running finalise.d/60-bootloader'
qemu-img check -q disk.qcow2 || fail "qemu-img check finds errors"
timeout 900 guestfish --ro -a disk.qcow2 > fish.txt 2>&1 <<FISH || fail "guestfish: $(cat fish.txt)"
run
list-filesystems
mount-ro /dev/vg/lv_root /
mount-ro /dev/vg/lv_var /var
mount-ro /dev/vg/lv_home /home
cat /etc/fstab
is-file /usr/local/sbin/growvols
grep lvm2 /etc/initramfs-tools/modules
grep menuentry /boot/grub/grub.cfg
lvs-full
FISH
expect_text fish.txt '/dev/vg/lv_root: xfs' '/dev/vg/lv_var: xfs' '/dev/vg/lv_home: xfs' ' / xfs' true 'lvm2' 'menuentry'
"$HEARTH" image test disk.qcow2 --firmware uefi --accel tcg --cpus 2 --timeout 900 --expect 'Linux version' --expect 'login: $' ||
    fail "the disk does not start"
finish
