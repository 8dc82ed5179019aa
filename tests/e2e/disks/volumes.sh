#!/bin/bash
# A disk with XFS on a logical volume, a thin volume, an encrypted volume and an array, made by the guestfs maker, is read
# back by libguestfs' own shell and by hearth: every file is where its fstab says, as it was.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg PATH=$PATH:/usr/sbin:/sbin
for program in supermin guestfish qemu-system-x86_64; do
    type -P $program > /dev/null || { echo "SKIPPED: $program is needed" && exit 77; }
done
ls /boot/vmlinuz-* > /dev/null 2>&1 || { echo "SKIPPED: a kernel in /boot is needed" && exit 77; }

printf 'open-sesame\n' > key
sed "s|KEY|$work/key|" "$here/disks/volumes.yaml" > layout.yaml
export DIB_BLOCK_DEVICE_CONFIG=file://$work/layout.yaml

"$HEARTH" image plan -n disk-tree > plan.txt 2>&1 || fail "plan: $(cat plan.txt)"
expect_text plan.txt 'Disk maker: guestfs' 'logical volumes ([2].lvm)'
if "$HEARTH" image create -n -t raw --disk-maker direct -o no disk-tree > refused.txt 2>&1 < /dev/null; then
    fail "the direct maker took it"
fi
expect_text refused.txt "the direct disk maker can't make this layout" 'The guestfs maker makes it'
"$HEARTH" image layout layout.yaml --svg picture.svg > layout.txt || fail "layout"
expect_text layout.txt 'lvm-volume lv_root' 'luks crypt_home' 'Disk maker: guestfs'
expect_text picture.svg '<svg ' 'lv_root'

"$HEARTH" image create -n -t raw,tar -o disk disk-tree device-hook > out 2>&1 < /dev/null || fail "create: $(cat out)"
expect_text disk.d/build.log 'Disk maker: guestfs' 'volume group vg' 'filling xfs fs_root' 'running block-device.d/50-note against the disk'

echo "== hearth reads it"
"$HEARTH" image diff disk.tar disk.raw --key key --without boot/efi --without etc/devices > difference || fail "differs: $(head -20 difference)"
"$HEARTH" image inspect disk.raw --key key --json > inspected.json || fail "inspect"
expect_text inspected.json '"xfs"' '"crypto_LUKS"' '"linux_raid_member"' '"LVM2_member"' '"os": "Disk tree 1"'

echo "== libguestfs reads it"
timeout 600 guestfish > fish.txt 2>&1 <<FISH || fail "guestfish: $(cat fish.txt)"
add-drive disk.raw format:raw readonly:true label:disk
run
list-filesystems
debug sh "printf open-sesame | cryptsetup open --readonly --key-file - /dev/disk/guestfs/disk5 home"
debug sh "[ -e /dev/md127 ] || ln -s /dev/md0 /dev/md127"
mount-ro /dev/vg/lv_root /
mount-ro /dev/mapper/home /home
mount-ro /dev/vg/lv_opt /opt
mount-ro /dev/md127 /srv
cat /etc/fstab
cat /etc/devices
cat /home/user/note
cat /srv/data
getxattrs /bin/tool
stat /bin/twin
ll /opt
FISH
expect_text fish.txt '/dev/vg/lv_root: xfs' '/dev/vg/lv_opt: ext4' ' / xfs' gpt 'a note' 'served' 'nlink: 2'
! grep -qa SCHILY.xattr.user.origin disk.tar || expect_text fish.txt user.origin
finish
