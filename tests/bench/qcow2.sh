#!/bin/bash
# The qcow2 writer against qemu-img on the same raw disk, in turn, in one run: seconds, processor seconds, sizes, ratios.
# Also: the memory it takes, and a 20 GiB disk with the same data against a 2 GiB one.
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

declare -A wall cpu
# measure NAME COMMAND…: keeps the least wall time and the least processor time of all rounds, in seconds.
measure() {
    local name=$1 times
    shift
    /usr/bin/time -o measured.txt -f '%e %U %S' "$@" >/dev/null
    read -r -a times <measured.txt
    wall[$name]=$(awk -v t="${times[0]}" -v l="${wall[$name]:-1e9}" 'BEGIN { print t < l ? t : l }')
    cpu[$name]=$(awk -v t="$(awk -v u="${times[1]}" -v s="${times[2]}" 'BEGIN { print u + s }')" -v l="${cpu[$name]:-1e9}" \
        'BEGIN { print t < l ? t : l }')
}
# row NAME OURS PEER OUR-FILE PEER-FILE: OURS and PEER as they were measured.
row() {
    awk -v n="$1" -v a="${wall[$2]}" -v b="${wall[$3]}" -v c="${cpu[$2]}" -v d="${cpu[$3]}" \
        -v x="$(stat -c %s "$4")" -v y="$(stat -c %s "$5")" \
        'BEGIN { printf "%-24s %8.2f s %8.2f s %8.1fx %8.2f s %8.2f s %10.3f\n", n, a, b, b / a, c, d, x / y }'
}

cat small.raw >/dev/null
for _ in $(seq "$rounds"); do  # in turn, so that a busy machine is busy for all of them
    measure plain qemu-img convert -f raw -O qcow2 -c small.raw peer.qcow2
    measure parallel qemu-img convert -f raw -O qcow2 -c -W -m 8 small.raw peer-parallel.qcow2
    measure peer-zstd qemu-img convert -f raw -O qcow2 -c -W -m 8 -o compression_type=zstd small.raw peer-zstd.qcow2
    measure copy cp --sparse=always small.raw copy.raw
    for kind in fast best zstd none; do
        measure "$kind" "$hearth" image convert --compression "$kind" small.raw "$kind.qcow2"
        qemu-img check -q "$kind.qcow2"
        qemu-img compare -q small.raw "$kind.qcow2"
    done
    measure large "$hearth" image convert large.raw large.qcow2
done
printf '%-24s %10s %10s %9s %10s %10s %10s\n' "" ours peer faster "our CPU" "peer's" "size"
row "fast / qemu -c" fast plain fast.qcow2 peer.qcow2
row "fast / qemu -c -W -m 8" fast parallel fast.qcow2 peer-parallel.qcow2
row "best / qemu -c" best plain best.qcow2 peer.qcow2
row "zstd / qemu zstd" zstd peer-zstd zstd.qcow2 peer-zstd.qcow2
row "none / cp --sparse" none copy none.qcow2 copy.raw
row "20 GiB / 2 GiB" large fast large.qcow2 fast.qcow2
/usr/bin/time -f 'peak memory %M KB' "$hearth" image convert large.raw large.qcow2
