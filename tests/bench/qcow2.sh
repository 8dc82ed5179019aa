#!/bin/bash
# The qcow2 writer against qemu-img on the same raw disk, in turn, in one run: seconds, size and the ratios. Also: the
# memory it takes, and a 20 GiB disk with the same data against a 2 GiB one.
#
# usage: qcow2.sh HEARTH [ROUNDS]      needs mke2fs, qemu-img and about 3 GB below TMPDIR; best on a quiet machine
set -euo pipefail

hearth=$(readlink -f "$1")
rounds=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

echo "making a disk of 2 GiB with about 400 MB of this machine's programs and documents…"
mkdir tree
find /usr/bin /usr/sbin /usr/share /usr/lib -xdev -type f -size -4M -print0 |
    sort -z | awk 'BEGIN { RS = ORS = "\0" } NR % 7 == 0' |
    while IFS= read -r -d '' file; do
        used=$((${used:-0} + $(stat -c %s "$file")))
        if ((used < 400000000)); then printf '%s\0' "$file"; fi
    done | tar -cPf - --null -T - | tar -xPf - -C tree --strip-components=1 --no-same-owner
truncate -s 2G small.raw
mke2fs -q -t ext4 -d tree small.raw
cp --sparse=always small.raw large.raw
truncate -s 20G large.raw
rm -rf tree

# best COMMAND…: the least wall time of ROUNDS runs, in seconds.
best() {
    local least=
    for _ in $(seq "$rounds"); do
        local began=$EPOCHREALTIME
        "$@" >/dev/null
        least=$(awk -v a="$began" -v b="$EPOCHREALTIME" -v l="${least:-1e9}" 'BEGIN { t = b - a; printf "%.3f", t < l ? t : l }')
    done
    echo "$least"
}
# row NAME OUR-SECONDS PEER-SECONDS OUR-FILE PEER-FILE
row() {
    awk -v n="$1" -v a="$2" -v b="$3" -v x="$(stat -c %s "$4")" -v y="$(stat -c %s "$5")" \
        'BEGIN { printf "%-24s %8.2f s %8.2f s %8.1fx %10.3f\n", n, a, b, b / a, x / y }'
}

qemu() { qemu-img convert -f raw -O qcow2 "$@"; }
cat small.raw >/dev/null
plain=$(best qemu -c small.raw peer.qcow2)
parallel=$(best qemu -c -W -m 8 small.raw peer-parallel.qcow2)
zstd=$(best qemu -c -W -m 8 -o compression_type=zstd small.raw peer-zstd.qcow2)
copy=$(best cp --sparse=always small.raw copy.raw)
declare -A ours
for kind in fast best zstd none; do
    ours[$kind]=$(best "$hearth" image convert --compression "$kind" small.raw "$kind.qcow2")
    qemu-img check -q "$kind.qcow2"
    qemu-img compare -q small.raw "$kind.qcow2"
done
printf '%-24s %10s %10s %9s %10s\n' "" ours peer faster "size"
row "fast / qemu -c" "${ours[fast]}" "$plain" fast.qcow2 peer.qcow2
row "fast / qemu -c -W -m 8" "${ours[fast]}" "$parallel" fast.qcow2 peer-parallel.qcow2
row "best / qemu -c" "${ours[best]}" "$plain" best.qcow2 peer.qcow2
row "zstd / qemu zstd" "${ours[zstd]}" "$zstd" zstd.qcow2 peer-zstd.qcow2
row "none / cp --sparse" "${ours[none]}" "$copy" none.qcow2 copy.raw
large=$(best "$hearth" image convert large.raw large.qcow2)
awk -v a="$large" -v b="${ours[fast]}" 'BEGIN { printf "%-24s %8.2f s %8.2f s   ratio %.2f\n", "20 GiB / 2 GiB", a, b, a / b }'
/usr/bin/time -f 'peak memory %M KB' "$hearth" image convert large.raw large.qcow2
