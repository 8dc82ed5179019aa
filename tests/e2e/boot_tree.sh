#!/bin/bash
# A small Debian with what the layouts of the boot matrix need to find their root file system (those of long runs more), made once
# for all of them: boot_tree.sh DIRECTORY writes DIRECTORY/tree.tar.
# shellcheck source-path=SCRIPTDIR source=lib.sh
directory=$1
. "$(dirname "$0")/lib.sh"
type -P mmdebstrap > /dev/null || { echo "SKIPPED: mmdebstrap is needed" && exit 77; }
debian_release
mkdir -p "$directory"
rm -f "$directory/tree.tar" # of an earlier Hearth; layers that still hold make this cheap
export DIB_RELEASE=$release
"$HEARTH" image create -n -t tar -o tree \
    -p "linux-image-cloud-amd64,initramfs-tools${HEARTH_LONG:+,lvm2,cryptsetup-initramfs,xfsprogs,btrfs-progs}" \
    debian-minimal enable-serial-console < /dev/null || fail "the tree can't be made"
[ ! -f tree.tar ] || mv tree.tar "$directory/tree.tar"
finish
