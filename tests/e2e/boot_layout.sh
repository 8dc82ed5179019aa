#!/bin/bash
# A disk by one layout of the boot matrix is sound by the judgement of programs that are not ours, and starts to a login
# prompt: boot_layout.sh DIRECTORY LAYOUT FIRMWARE… (bios, uefi, uefi-secure; uefi-4k with sectors of 4096 bytes). DIRECTORY has the tree of boot_tree.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
directory=$1 layout=$2
shift 2
. "$(dirname "$0")/lib.sh"
[ "${LONG_TEST:-}" != TRUE ] || [ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
[ -s "$directory/tree.tar" ] || { echo "SKIPPED: there is no tree (e2e.boot_tree)" && exit 77; }
export PATH=$PATH:/usr/sbin:/sbin
for program in qemu-system-x86_64 qemu-img sgdisk sfdisk e2fsck; do
    type -P $program > /dev/null || { echo "SKIPPED: $program is needed" && exit 77; }
done
config=$here/layouts/$layout.yaml
[ -f "$config" ] || config=$here/../../elements/block-device-$layout/block-device-default.yaml
export DEBIAN_TREE=$directory/tree.tar DIB_BLOCK_DEVICE_CONFIG=file://$config
export DIB_GRUB_TIMEOUT=0 DIB_BOOTLOADER_DEFAULT_CMDLINE='mitigations=off no_timer_check apparmor=0 init=/usr/local/sbin/small-init'
elements=(debian-tree bootloader)
[ ! -d "$ELEMENTS_PATH/layout-$layout" ] || elements+=("layout-$layout")
"$HEARTH" image create -n -t raw,qcow2 -o disk "${elements[@]}" < /dev/null || fail "the disk can't be made"
qemu-img check -q disk.qcow2 || fail "qemu-img check finds errors"
qemu-img compare -q disk.raw disk.qcow2 || fail "qcow2 and raw differ"

# The partition table. sgdisk and sfdisk take the sectors of a file for 512 bytes.
case $layout in
    mbr*) sfdisk --verify disk.raw > verdict 2>&1 || fail "sfdisk: $(cat verdict)" ;;
    4k*) ;;
    *) sgdisk --verify disk.raw > verdict; expect_text verdict "No problems found" ;;
esac
# Each ext file system: what begins with its magic number where a partition begins.
if [[ $layout != 4k* ]]; then
    for start in $(sfdisk --json disk.raw | grep -o '"start": *[0-9]*' | grep -o '[0-9]*$'); do
        magic=$(od -An -tx1 -j $((start * 512 + 1080)) -N 2 disk.raw)
        [ "$magic" != " 53 ef" ] || e2fsck -fn "disk.raw?offset=$((start * 512))" > verdict 2>&1 ||
            fail "e2fsck: $(cat verdict)"
    done
fi
rm -f disk.raw
# libguestfs, a reader that is not ours, finds the system in it by itself. (A key with a line break it can't be given.)
if [ -z "${HEARTH_LONG:-}" ]; then
    echo "SKIPPED: libguestfs as a reader: HEARTH_LONG is not set"
elif ! type -P guestfish > /dev/null; then
    echo "SKIPPED: libguestfs as a reader: guestfish is not installed"
else
    export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg LIBGUESTFS_CACHEDIR=${DIB_IMAGE_CACHE:-$work}/appliance
    mkdir -p "$LIBGUESTFS_CACHEDIR"
    sectors=512
    [[ $layout != 4k* ]] || sectors=4096
    if [ "$layout" = luks ]; then
        timeout 600 guestfish > found 2>&1 <<FISH || fail "guestfish: $(cat found)"
add-drive disk.qcow2 format:qcow2 readonly:true label:disk
run
debug sh "echo 'a key of the tests' | cryptsetup open --readonly --key-file - /dev/disk/guestfs/disk3 found"
mount-ro /dev/mapper/found /
cat /etc/os-release
FISH
    else
        timeout 600 guestfish --ro --blocksize=$sectors -i -a disk.qcow2 cat /etc/os-release > found 2>&1 < /dev/null ||
            fail "guestfish: $(cat found)"
    fi
    expect_text found 'ID=debian'
fi
# start FIRMWARE EXPECTATION…
start() {
    local firmware=$1 options expectation
    options=(--firmware "${firmware%-4k}")
    shift
    [[ $firmware != *-4k ]] || options+=(--sector-size 4096)
    for expectation in "$@"; do options+=(--expect "$expectation"); done
    "$HEARTH" image test disk.qcow2 "${options[@]}" --accel tcg --cpus 2 --timeout 900
}
for firmware in "$@"; do
    start "$firmware" 'Linux version' 'login: $' || fail "$firmware: the disk does not start"
done
# Where Secure Boot is enforced, a kernel that is not as it was signed must not start.
if [[ " $* " == *" uefi-secure "* ]]; then
    "$HEARTH" image create -n -t qcow2 -o disk "${elements[@]}" unsigned-kernel < /dev/null || fail "the second disk can't be made"
    start uefi-secure 'bad shim signature' || fail "a kernel with a broken signature is not refused"
fi
finish
