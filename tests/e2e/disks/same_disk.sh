#!/bin/bash
# Two builds of one input give the same disk, byte for byte: each type of file system that user space makes, mbr and gpt,
# sectors of 512 and 4096 bytes.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
export PATH=$PATH:/usr/sbin:/sbin SOURCE_DATE_EPOCH=1700000000

# same NAME YAML: built twice, seconds apart, in directories of their own.
same() {
    local name=$1 turn
    for turn in 1 2; do
        mkdir -p "$name-$turn"
        (cd "$name-$turn" && DIB_BLOCK_DEVICE_CONFIG=$2 "$HEARTH" image create -n -t raw,qcow2 -o disk disk-tree) > out 2>&1 < /dev/null ||
            fail "$name: $(cat out)"
    done
    for kind in raw qcow2; do
        cmp "$name-1/disk.$kind" "$name-2/disk.$kind" || fail "$name.$kind differs"
    done
    rm -rf "$name-1" "$name-2"
}
type -P mkfs.btrfs mkfs.xfs > /dev/null || { echo "SKIPPED: mkfs.btrfs and mkfs.xfs are needed" && exit 77; }
same gpt '- local_loop: {name: image0, size: 600MiB}
- partitioning:
    base: image0
    label: gpt
    partitions:
      - {name: ESP, type: EF00, size: 40MiB, mkfs: {type: vfat, label: ESP, mount: {mount_point: /boot/efi, fstab: {}}}}
      - {name: swap, size: 16MiB, mkfs: {type: swap, mount: {mount_point: swap, fstab: {}}}}
      - {name: home, size: 40MiB, mkfs: {type: ext3, mount: {mount_point: /home, fstab: {}}}}
      - {name: root, size: 100%, mkfs: {type: btrfs, mount: {mount_point: /, fstab: {}}}}'
same xfs '- local_loop: {name: image0, size: 400MiB}
- partitioning:
    base: image0
    label: gpt
    partitions:
      - {name: root, size: 100%, mkfs: {type: xfs, mount: {mount_point: /, fstab: {}}}}'
same mbr '- local_loop: {name: image0, size: 300MiB}
- partitioning:
    base: image0
    label: mbr
    partitions:
      - {name: opt, size: 20MiB, flags: [primary], mkfs: {type: ext2, mount: {mount_point: /opt, fstab: {}}}}
      - {name: root, size: 100%, mkfs: {type: ext4, mount: {mount_point: /, fstab: {}}}}'
same 4k '- local_loop: {name: image0, size: 300MiB, block_size: 4096}
- partitioning:
    base: image0
    label: gpt
    partitions:
      - {name: ESP, type: EF00, size: 40MiB, mkfs: {type: vfat, label: ESP, mount: {mount_point: /boot/efi, fstab: {}}}}
      - {name: root, size: 100%, mkfs: {type: ext4, mount: {mount_point: /, fstab: {}}}}'
finish
