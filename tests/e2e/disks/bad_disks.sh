#!/bin/bash
# Disks that can't be made are refused before the first hook runs, with the place in the YAML; what only shows later (no
# space left, a directory that can't be written, an appliance that does not start) ends the build with nothing left.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
export PATH=$PATH:/usr/sbin:/sbin
unset LIBGUESTFS_PATH LIBGUESTFS_HV

# refused NAME YAML TEXT… [-- OPTION…]: the layout is refused with these texts, and no hook has run.
refused() {
    local name=$1 yaml=$2 texts=() got=0
    shift 2
    while [ $# -gt 0 ] && [ "$1" != -- ]; do texts+=("$1") && shift; done
    [ $# = 0 ] || shift
    DIB_BLOCK_DEVICE_CONFIG=$yaml "$HEARTH" image create -n -t raw -o "$name" "$@" disk-tree > "out-$name" 2>&1 < /dev/null || got=$?
    [ "$got" = 1 ] || fail "$name: exit code $got instead of 1: $(cat "out-$name")"
    expect_text "out-$name" "${texts[@]}"
    [ ! -e "$name.raw" ] || fail "$name: an image was written"
    ! grep -q 'root.d' "out-$name" || fail "$name: hooks have run"
}
head='- local_loop: {name: image0}
- partitioning:
    base: image0
    label: gpt
    partitions:
'
root='      - {name: root, size: 100%, mkfs: {type: ext4, mount: {mount_point: /}}}
'
lvm='- lvm: {name: l, pvs: [{name: pv, base: p}], vgs: [{name: vg, base: [pv]}, {name: vg, base: [pv]}], lvs: []}
'
refused overlap "$head      - {name: a, start: 1MiB, size: 10MiB}
      - {name: b, start: 5MiB, size: 1MiB}
" 'partition b begins at 5242880 and overlaps a' '[1].partitioning'
refused percent "$head      - {name: a, size: 120%}
" 'DIB_BLOCK_DEVICE_CONFIG:6:' '[1].partitioning.partitions[0].size: Invalid size unit spec [120%]'
refused shares "$head      - {name: p, size: 100%}
- lvm: {name: l, pvs: [{name: pv, base: p}], vgs: [{name: vg, base: [pv]}], lvs: [{name: a, base: vg, extents: 60%VG}, {name: b, base: vg, extents: 60%VG}]}
" 'the volumes of vg ask for 120 % of it'
refused rootless "$head      - {name: a, size: 10MiB, mkfs: {type: ext4, mount: {mount_point: /data}}}
" 'no file system is mounted at /'
refused clash "$head      - {name: p, size: 100%}
$lvm" 'there are two volume groups named vg'
refused large "$head      - {name: a, size: 10GiB}
$root" 'The requested size of the image is smaller than the block device configuration' -- --image-size 1
refused f2fs "$head      - {name: root, size: 100%, mkfs: {type: f2fs, mount: {mount_point: /}}}
" 'no disk maker can make this layout: file system type f2fs'
volumes="$head      - {name: p, size: 100%}
- lvm: {name: l, pvs: [{name: pv, base: p}], vgs: [{name: vg, base: [pv]}], lvs: [{name: lv, base: vg, extents: 100%VG}]}
- mkfs: {name: root, base: lv, type: ext4, mount: {mount_point: /}}
"
refused direct "$volumes" "the direct disk maker can't make this layout: logical volumes" 'The guestfs maker makes it' -- --disk-maker direct
"$HEARTH" image create -n -t raw --disk-maker loop -o loop disk-tree > out-loop 2>&1 < /dev/null && fail "loop: taken"
expect_text out-loop "--disk-maker is direct, guestfs or auto, not 'loop'"

# A key that nobody knows is told of, with its place, by a plan and by a build; upstream's layouts have some, too.
DIB_BLOCK_DEVICE_CONFIG="$head      - {name: root, size: 100%, mkfs: {type: ext4, labl: x, mount: {mount_point: /}}}
" "$HEARTH" image plan -n disk-tree > out-key 2>&1 || fail "plan: $(cat out-key)"
expect_text out-key "DIB_BLOCK_DEVICE_CONFIG:6:" "[1].partitioning.partitions[0].mkfs: unknown key 'labl'"

mkdir programs
ln -s /usr/bin/* /usr/sbin/* programs/ 2> /dev/null || true
rm programs/supermin
PATH=$work/programs refused no-appliance "$volumes" "libguestfs' appliance can't be built; missing: supermin" 'apt-get install supermin'

# small NAME YAML TEXT…: a file system too small for the tree, known when the tree is.
DIB_BLOCK_DEVICE_CONFIG="${head/image0\}/image0, size: 16MiB\}}      - {name: root, size: 1MiB, mkfs: {type: ext2, mount: {mount_point: /}}}
" "$HEARTH" image create -n -t raw -o small disk-tree > out-small 2>&1 < /dev/null && fail "a file system of 1 MiB held it all"
expect_text out-small 'the files for / need at least' 'the file system mkfs_root has only' \
    'The layout gives it that size'

if type -P supermin > /dev/null && ls /boot/vmlinuz-* > /dev/null 2>&1; then
    mkdir fixed
    for file in README.fixed kernel initrd; do echo x > fixed/$file; done
    mke2fs -q -t ext2 fixed/root 2M
    LIBGUESTFS_PATH=$work/fixed DIB_BLOCK_DEVICE_CONFIG=$volumes \
        "$HEARTH" image create -n -t raw -o panic --image-size 1 disk-tree > out-panic 2>&1 < /dev/null && fail "it started"
    expect_text out-panic "libguestfs' appliance did not come up" 'its last lines:' 'qemu'
    [ ! -e panic.raw ] || fail "panic: an image was written"
fi

if [ "$(id -u)" = 0 ]; then
    mkdir full read-only
    mount -t tmpfs -o size=1m none full
    mount -t tmpfs -o ro none read-only
    trap 'umount full read-only; rm -rf "$work"' EXIT
    head -c 2M /dev/urandom > noise
    NOISE=$work/noise "$HEARTH" image create -n -t raw,qcow2 --image-size 1 -o full/disk disk-tree > out-full 2>&1 < /dev/null && fail "a full disk took it"
    expect_text out-full 'No space left on device' 'full/disk'
    ls full/disk.raw full/disk.qcow2 full/.disk* > /dev/null 2>&1 && fail "something was left on the full disk"
    "$HEARTH" image create -n -t raw -o read-only/disk disk-tree > out-ro 2>&1 < /dev/null && fail "a read-only disk took it"
    expect_text out-ro 'Read-only file system' 'read-only'
fi
finish
