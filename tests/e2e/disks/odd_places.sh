#!/bin/bash
# A build does not depend on where the caller keeps his things: TMPDIR outside of /tmp, which the sandbox shows read-only,
# and behind a link; libguestfs' cache elsewhere, and empty, so that its appliance is built; a TMPDIR that is not there.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg PATH=$PATH:/usr/sbin:/sbin
for program in supermin qemu-system-x86_64; do
    type -P $program > /dev/null || { echo "SKIPPED: $program is needed" && exit 77; }
done
ls /boot/vmlinuz-* > /dev/null 2>&1 || { echo "SKIPPED: a kernel in /boot is needed" && exit 77; }
unset DIB_IMAGE_CACHE
odd=$(mktemp -d "$(dirname "$HEARTH")/odd-places.XXXXXX")
trap 'rm -rf "$work" "$odd"' EXIT
mkdir "$odd/there"
ln -s "$odd/there" "$odd/tmp"
export DIB_BLOCK_DEVICE_CONFIG="
- local_loop: {name: image0, size: 300MiB}
- partitioning: {base: image0, label: gpt, partitions: [{name: space, type: 8E00, size: 100%}]}
- lvm:
    name: lvm
    pvs: [{name: pv, base: space}]
    vgs: [{name: vg, base: [pv]}]
    lvs: [{name: lv_root, base: vg, extents: 80%VG}]
- mkfs: {name: fs_root, base: lv_root, type: ext4, label: root, mount: {mount_point: /, fstab: {}}}"

TMPDIR=$odd/tmp LIBGUESTFS_CACHEDIR=$odd/appliance "$HEARTH" image create -n --no-tmpfs -t raw -o disk disk-tree \
    > out 2>&1 < /dev/null || fail "create: $(cat out)"
expect_text disk.d/build.log 'Disk maker: guestfs'
kernel=("$odd"/appliance/hearth-appliance/.guestfs-*/appliance.d/kernel)
[ -s "${kernel[0]}" ] || fail "the appliance was not built where it was asked for"
[ -z "$(ls -A "$odd/there")" ] || fail "left in TMPDIR: $(ls -A "$odd/there")"
"$HEARTH" image inspect --no-guest disk.raw > inspected 2>&1 || fail "inspect: $(cat inspected)"

for command in "image create -n --no-cache --no-tmpfs -t raw -o disk disk-tree" "image inspect disk.raw"; do
    # shellcheck disable=SC2086  # words
    if TMPDIR=$odd/none "$HEARTH" $command > out 2>&1 < /dev/null; then fail "'$command' goes on without TMPDIR"; fi
    expect_text out "$odd/none" TMPDIR
done
finish
