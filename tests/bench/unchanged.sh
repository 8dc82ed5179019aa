#!/bin/bash
# "Nothing has changed": the second `hearth image create` of an image of all of Hearth's own elements, whose scripts end at
# their first line, beside the peer's; both in turn, on images of their own. The medians.
#
# usage: unchanged.sh HEARTH PEER [ROUNDS]      PEER: another build of hearth, as before a change; root or sub-ids, no network
set -euo pipefail

declare -A program=([hearth]=$(readlink -f "$1") [peer]=$(readlink -f "$2"))
rounds=${3:-20}
tree=$(readlink -f "$(dirname "$0")/../..")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
names=()
for element in "$tree"/elements/*/; do
    name=$(basename "$element")
    case $name in block-device-* | debian* | ubuntu* | *ramdisk* | fedora* | centos* | rocky* | yum | zypper | *-minimal | modprobe*) continue ;; esac
    cp -r "$element" "elements-$name"
    mkdir -p elements
    mv "elements-$name" "elements/$name"
    rm -f elements/"$name"/{element-deps,element-provides,package-installs*,pkg-map,block-device-*,host-files}
    names+=("$name")
done
find elements -path '*.d/*' -type f ! -path '*/environment.d/*' -exec sed -i -e '1{/^#!/a exit 0' -e '}' {} +
find elements -path '*/environment.d/*' -type f -exec sed -i '1i return 0' {} +
mkdir hearth peer

# build PROGRAM: the image, as often as it is asked for.
build() {
    (cd "$1" && env -u HEARTH_CACHE ELEMENTS_PATH="$work/elements:$tree/tests/e2e/elements" DIB_IMAGE_CACHE="$work/$1/cache" \
        "${program[$1]}" image create -n -t tar -o image tiny-os "${names[@]}" < /dev/null > said 2>&1) || { cat "$1/said"; exit 1; }
}
# milliseconds PROGRAM: its wall time.
milliseconds() {
    local began=$EPOCHREALTIME
    build "$1"
    awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f\n", (b - a) * 1000 }'
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for whose in hearth peer; do
    build "$whose"
    build "$whose"
    grep -q 'is up to date' "$whose/said" || { echo "$whose builds again:" && cat "$whose/said" && exit 1; }
done
for _ in $(seq "$rounds"); do
    for whose in hearth peer; do
        milliseconds "$whose" >> "$whose.times"
    done
done
a=$(median < hearth.times)
b=$(median < peer.times)
printf '%s elements, %s scripts: ours %s ms, the peer %s ms, ratio %s\n' "${#names[@]}" "$(find elements -path '*.d/*' -type f | wc -l)" \
    "$a" "$b" "$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", a / b }')"
