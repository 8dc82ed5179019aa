#!/bin/bash
# The live ISO starts from a CD drive and, the same bytes, from a disk; changes stay in memory: boot_iso.sh DIRECTORY
# FIRMWARE…
# shellcheck source-path=SCRIPTDIR source=lib.sh
directory=$1
shift
. "$(dirname "$0")/lib.sh"
[ "${LONG_TEST:-}" != TRUE ] || [ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
[ -s "$directory/tree.tar" ] || { echo "SKIPPED: there is no tree (e2e.boot_tree)" && exit 77; }
type -P qemu-system-x86_64 xorriso > /dev/null || { echo "SKIPPED: qemu and xorriso are needed" && exit 77; }
export DEBIAN_TREE=$directory/tree.tar DIB_GRUB_TIMEOUT=0
export DIB_BOOTLOADER_DEFAULT_CMDLINE='mitigations=off no_timer_check apparmor=0 init=/usr/local/sbin/small-init'
"$HEARTH" image create -n -t iso -o live debian-tree bootloader < /dev/null || fail "the ISO can't be made"
cp live.iso live.img
for firmware in "$@"; do
    image=live.iso
    [ "$firmware" = bios ] || image=live.img
    "$HEARTH" image test $image --firmware "$firmware" --accel tcg --cpus 2 --timeout 900 --expect 'Linux version' \
        --expect '/run/live/tree .*squashfs' --expect 'login: $' || fail "$firmware: $image does not start"
done
finish
