#!/bin/bash
# What it costs root's builds to have ids of a range and none of the machine's: examples/hello, everything built, as it is and where
# nothing can be shifted (its output on an overlay), in turn, with a package cache of their own each. Medians of wall and CPU
# seconds of all processes; CPU seconds say more where other work shares the machine.
#
# usage: id_range.sh HEARTH [ROUNDS]      root, a Debian mirror
set -euo pipefail

hearth=$(readlink -f "$1")
rounds=${2:-3}
example=$(readlink -f "$(dirname "$0")/../../examples/hello")
[ "$(id -u)" = 0 ] || { echo "SKIPPED: only root's builds have a range"; exit 77; }
# In a mount namespace of its own, with which the overlay goes.
[ -n "${RANGE_APART:-}" ] || RANGE_APART=yes exec unshare --mount bash "$0" "$hearth" "$rounds"

work=$(mktemp -d)
trap 'umount "$work/machines" "$work/upper" "$work/range"; rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
mkdir range machines lower upper
mount -t tmpfs none range
mount -t tmpfs none upper && mkdir upper/{up,work}
mount -t overlay -o "lowerdir=lower,upperdir=upper/up,workdir=upper/work" none machines

# build WHOSE: wall and CPU seconds of one.
build() {
    TIMEFORMAT='%R %U %S'
    { time env HEARTH_CACHE=0 DIB_IMAGE_CACHE="$work/cache-$1" ELEMENTS_PATH="$example/elements" "$hearth" image create -o "$1/hello" \
        --image-size 3 --metadata "$example/metadata.json" vm debian-minimal enable-serial-console hello < /dev/null > "$1.said" 2>&1; } 2>&1 |
        awk '{ print $1, $2 + $3 }'
}
median() { cut -d' ' -f"$2" "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for whose in range machines; do
    build "$whose" > /dev/null || true
    [ -e "$whose/hello.qcow2" ] || { echo "the build fails:" && cat "$whose.said" && exit 1; }
done
grep -q "this machine's root's ids" machines.said || { echo "ids are shifted on an overlay, too: there is nothing to compare" && exit 1; }
! grep -q "this machine's root's ids" range.said || { echo "nothing is shifted here:" && cat range.said && exit 1; }
for _ in $(seq "$rounds"); do
    for whose in range machines; do build "$whose" >> "$whose.times"; done
done
printf 'with a range: %s s, %s s of CPU; with the ids of the machine: %s s, %s s of CPU\n' \
    "$(median range.times 1)" "$(median range.times 2)" "$(median machines.times 1)" "$(median machines.times 2)"
