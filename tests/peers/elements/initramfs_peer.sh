#!/bin/bash
# What mkinitramfs makes with the element debootstrap's configuration, beside what it makes without: the same files. With
# every way to choose modules, modules by name, some with firmware and some whose firmware is missing, and one that is a link.
# Minutes, most of them the original's.
set -euo pipefail
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set"; exit 77; }
conf=$(readlink -f "$1")
mkinitramfs=$(command -v mkinitramfs || command -v /usr/sbin/mkinitramfs) || { echo "SKIPPED: no initramfs-tools"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "SKIPPED: mkinitramfs wants to be root"; exit 77; }
kernels=(/lib/modules/*/kernel)
version=$(basename "$(dirname "${kernels[0]}")")
[ -d "${kernels[0]}" ] && [ -e "/boot/config-$version" ] || { echo "SKIPPED: no kernel's modules"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/initramfs-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

# A copy of the configuration; the links and the firmware of the test are seen in a mount namespace of its own only.
cp -r /etc/initramfs-tools "$work/own"
mkdir -p "$work/own/conf.d" "$work/firmware" "$work/upper" "$work/work"
echo COMPRESSLEVEL=1 > "$work/own/conf.d/peer"
cp -r "$work/own" "$work/ours"
cat "$conf" >> "$work/ours/conf.d/peer"
cat > "$work/run" <<'RUN'
set -eu
mount -t overlay -o "lowerdir=/lib/modules,upperdir=$work/upper,workdir=$work/work" overlay /lib/modules
modules=/lib/modules/$version
# One kernel module is elsewhere, and its place a link to it. Of the firmware that modules ask for every other file is there.
linked=$(find "$modules/kernel/drivers/net" -name 'e1000e.ko*' -o -name 'virtio_net.ko*' | sort | head -n 1)
mkdir -p "$modules/elsewhere"
mv "$linked" "$modules/elsewhere/"
ln -s "$modules/elsewhere/${linked##*/}" "$linked"
mkdir -p "$work/firmware"
mount --bind "$work/firmware" "$firmware"
printf 'nls_utf8\nsoftdog soft_margin=5\n' > "$work/modules"
find "$modules/kernel" -name '*.ko*' | sort | xargs modinfo | awk -v modules="$work/modules" -v asked="$work/asked" '
    $1 == "filename:" { name = $2; sub(".*/", "", name); sub("[.].*", "", name); said = 0 }
    $1 == "firmware:" {
        print substr($0, index($0, $2)) > asked
        if (!said++ && chosen++ < 10) print name >> modules
    }'
awk 'NR % 2' "$work/asked" | while read -r name; do
    mkdir -p "$firmware/$(dirname "$name")"
    echo "$name" > "$firmware/$name"
done
for choice in most netboot list; do
    for conf in own ours; do
        printf 'MODULES=%s\n' "$choice" > "$work/$conf/conf.d/choice"
        cp "$work/modules" "$work/$conf/modules"
        TMPDIR=$work "$mkinitramfs" -d "$work/$conf" -o "$work/$conf.img" "$version" 2> "$work/$conf.err"
        mkdir "$work/$conf-$choice"
        (cd "$work/$conf-$choice" && unmkinitramfs "$work/$conf.img" .)
        rm -f "$work/$conf-$choice"/*/conf/conf.d/peer "$work/$conf-$choice"/conf/conf.d/peer
        find "$work/$conf-$choice" -printf '%P %M %U:%G %l\n' | sort > "$work/$conf.list"
    done
    diff "$work/own.list" "$work/ours.list"
    diff -r --no-dereference --exclude mdadm.conf.tmp "$work/own-$choice" "$work/ours-$choice"
    [ "$(grep -c firmware "$work/own.err")" = "$(grep -c firmware "$work/ours.err")" ] || { diff "$work/own.err" "$work/ours.err"; exit 1; }
    grep -q "/lib/firmware/.* -rw" "$work/ours.list" || { echo "no firmware was copied: nothing is compared"; exit 1; }
    grep -c '\.ko' "$work/ours.list" | sed "s/^/MODULES=$choice: the same; modules: /"
    rm -rf "$work/own-$choice" "$work/ours-$choice"
done
RUN
firmware=/lib/firmware
[ -d "$firmware" ] || { echo "SKIPPED: no $firmware to lay firmware on"; exit 77; }
unshare -m mount -t overlay -o "lowerdir=/lib/modules,upperdir=$work/upper,workdir=$work/work" overlay /lib/modules 2> /dev/null ||
    { echo "SKIPPED: no mounts of overlays"; exit 77; }
export work version mkinitramfs firmware
unshare -m bash "$work/run" | tee "$work/said"
grep -q 'MODULES=list' "$work/said"
# shellcheck disable=SC2016 # for that shell: initramfs-tools' function is the one that ours stands in for
EXTRA_CONF='' sh -c '. "$0"; type add_modules_singly' "$conf" > /dev/null || { echo "not taken: another initramfs-tools"; exit 1; }
