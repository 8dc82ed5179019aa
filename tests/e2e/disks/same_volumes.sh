#!/bin/bash
# Two builds of one input give the same disk, byte for byte, where a guest makes it: an array, encrypted volumes of both
# versions, logical volumes, a thin one too. And libguestfs opens what was made.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg PATH=$PATH:/usr/sbin:/sbin
for program in supermin guestfish qemu-system-x86_64 thin_restore; do
    type -P $program > /dev/null || { echo "SKIPPED: $program is needed" && exit 77; }
done
ls /boot/vmlinuz-* > /dev/null 2>&1 || { echo "SKIPPED: a kernel in /boot is needed" && exit 77; }

export SOURCE_DATE_EPOCH=1700000000
export DIB_BLOCK_DEVICE_CONFIG="
- local_loop: {name: image0, size: 700MiB}
- partitioning:
    base: image0
    label: gpt
    partitions:
      - {name: pvpart, size: 300MiB, type: 8E00}
      - {name: r1, size: 60MiB, type: FD00}
      - {name: r2, size: 60MiB, type: FD00}
      - {name: old, size: 60MiB}
      - {name: secret, size: 100%}
- lvm:
    name: lvm
    pvs: [{name: pv, base: pvpart}]
    vgs: [{name: vg, base: [pv]}]
    lvs:
      - {name: lv_root, base: vg, extents: 50%VG}
      - {name: lv_opt, base: vg, extents: 20%VG}
      - {name: pool, base: vg, type: thin-pool, size: 48MiB}
      - {name: lv_var, base: vg, type: thin, thin-pool: pool, size: 80MiB}
- mkfs: {name: fs_root, base: lv_root, type: ext4, label: root, mount: {mount_point: /, fstab: {}}}
- mkfs: {name: fs_opt, base: lv_opt, type: ext4, mount: {mount_point: /opt, fstab: {}}}
- mkfs: {name: fs_var, base: lv_var, type: ext4, mount: {mount_point: /var, fstab: {}}}
- luks: {name: crypt_home, base: secret, image_key_file: /etc/os-release, mkfs: {type: ext4, mount: {mount_point: /home, fstab: {}}}}
- luks: {name: crypt_old, base: old, type: luks1, image_key_file: /etc/os-release, mkfs: {type: ext4, mount: {mount_point: /mnt, fstab: {}}}}
- raid: {name: md0, base: [r1, r2], level: 1, mkfs: {type: ext4, label: srv, mount: {mount_point: /srv, fstab: {}}}}"
build() {
    mkdir "$1"
    (cd "$1" && exec "$HEARTH" image create -n -t raw -o disk disk-tree) > "out-$1" 2>&1 < /dev/null || fail "$1: $(cat "out-$1")"
}
build first &
build second
wait
cmp first/disk.raw second/disk.raw || {
    fail "the disks differ, at these MiB:"
    cmp -l first/disk.raw second/disk.raw | awk '{ print int($1 / 1048576) }' | uniq -c | head -20 >&2 || true
}

timeout 900 guestfish > fish.txt 2>&1 <<FISH || fail "guestfish: $(cat fish.txt)"
add-drive first/disk.raw format:raw readonly:true label:disk
run
mount-ro /dev/vg/lv_root /
debug sh "for n in 4 5; do cryptsetup open --readonly --key-file /sysroot/etc/os-release /dev/disk/guestfs/disk\$n c\$n; done"
debug sh "[ -e /dev/md127 ] || ln -s /dev/md0 /dev/md127"
mount-ro /dev/vg/lv_opt /opt
mount-ro /dev/vg/lv_var /var
mount-ro /dev/mapper/c5 /home
mount-ro /dev/md127 /srv
cat /etc/fstab
cat /home/user/note
cat /srv/data
cat /var/lib/file-200
debug sh "vgck vg && pvck /dev/disk/guestfs/disk1 && mdadm --examine /dev/disk/guestfs/disk2"
FISH
expect_text fish.txt ' / ext4' 'a note' 'served' 'correct'
finish
