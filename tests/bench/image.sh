#!/bin/bash
# An image of one package list (image/elements/server: kernel, ssh and what goes with them) by Hearth, by diskimage-builder
# (Debian's python3-diskimage-builder), by mkosi in incremental mode, and by a hand-tuned script of mmdebstrap that keeps its
# tree; all with warm package caches, in turn, in one run. Cases: everything rebuilt, nothing changed, the last install
# script changed, a package added (diskimage-builder builds everything each time); and what keeping layers adds to a build of
# everything ("kept", beside ours without layers), and its share of one with nothing at hand ("cold", by its own log). For
# each: wall seconds, CPU seconds of all its processes, and ratios to ours. CPU seconds say more where other work shares the
# machine.
# Ours makes a bootable disk; the peers a plain file-system image, so they have less to do.
#
# usage: image.sh HEARTH [ROUNDS] [PEER…]   PEERs: dib mkosi hand (default: all that are installed); needs root, the network, and
# for dib and mkosi loop devices
set -euo pipefail

hearth=$(readlink -f "$1")
rounds=${2:-1}
here=$(cd "$(dirname "$0")" && pwd)
shift $(($# > 2 ? 2 : $#))
[ "$(id -u)" = 0 ] || { echo "SKIPPED: the peers need root"; exit 77; }
command -v mmdebstrap > /dev/null || { echo "SKIPPED: the package mmdebstrap is not installed"; exit 77; }
# Why a peer can't be run here; nothing when it can.
missing() {
    local tool
    case $1 in
        dib) set -- disk-image-create sudo debootstrap ;;
        mkosi) set -- mkosi debootstrap qemu-img losetup ;;
        hand) set -- mmdebstrap mke2fs ;;
        *) echo "there is no such peer" && return ;;
    esac
    for tool; do
        command -v "$tool" > /dev/null || { echo "$tool is not installed" && return; }
    done
}
wanted=("$@")
[ $# -gt 0 ] || wanted=(dib mkosi hand)
peers=()
for peer in "${wanted[@]}"; do
    why=$(missing "$peer")
    [ -z "$why" ] || { echo "without $peer: $why" && continue; }
    peers+=("$peer")
done
work=$(mktemp -d "${TMPDIR:-/tmp}/image-bench-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
unset TMPDIR  # else mkosi's packages look for it within the image
cd "$work"

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016 # apt's own variables
archives=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' | sort -u)
mirror() { awk -v r="$1" '$1 == r { print $2; exit }' <<< "$archives"; }
packages=$(sed -n 's/^\([a-z0-9-]*\):$/\1/p' "$here/image/elements/server/package-installs.yaml" | paste -sd,)
cp -r "$here/image/elements" elements
script=$work/elements/site/install.d/99-site
added=''  # a further package

hearth_build() {
    ELEMENTS_PATH=$work/elements DIB_IMAGE_CACHE=$work/cache OVERWRITE_OLD_IMAGE=1 "$hearth" image create -o hearth \
        ${added:+-p "$added"} "$@" vm debian-minimal server site
}
hearth_everything() { hearth_build --no-cache; }
hearth_rebuild() { hearth_build; }
hearth_kept() {
    rm -rf cache/layers hearth.d/output.json
    hearth_build
}
dib_build() {
    env DIB_RELEASE="$release" DIB_DISTRIBUTION_MIRROR="$(mirror "$release")" \
        DIB_DEBIAN_SECURITY_MIRROR="$(mirror "$release-security")" DIB_DEBIAN_SECURITY_SUBPATH=-security \
        DIB_PYTHON_VERSION=3 DIB_IMAGE_CACHE="$work/dib-cache" DIB_DEBOOTSTRAP_CACHE=1 TMP_DIR="$work" \
        DIB_DEBIAN_USE_DEBOOTSTRAP_CACHE=1 OVERWRITE_OLD_IMAGE=1 ELEMENTS_PATH="$work/elements" \
        disk-image-create -n -t qcow2 -o dib -p "$packages${added:+,$added}" debian-minimal site
}
dib_everything() { dib_build; }
dib_rebuild() { dib_build; }
mkosi_build() {
    mkdir -p mkosi mkosi-{packages,out,work}
    cp "$script" mkosi/site
    # It works through systemd-nspawn, which wants systemd running.
    local path=$here/image/mkosi:$PATH
    [ -d /run/systemd/system ] || path=$here/image/no-systemd:$path
    (cd mkosi && PATH=$path mkosi --distribution debian --release "$release" --mirror "$(mirror "$release")" --format gpt_ext4 --qcow2 \
        --root-size 2G --incremental --cache "$work/mkosi-packages" --output-dir "$work/mkosi-out" --workspace-dir "$work/mkosi-work" \
        --package "$packages${added:+,$added}" --postinst-script site --bootable no --force "$@" build)
}
mkosi_everything() { mkosi_build --force; }
mkosi_rebuild() { mkosi_build; }
# What a person writes who wants the same fast: a tree on disk, file system and qcow2 without a mount.
hand_tree() {
    rm -rf hand-tree hand-added
    mkdir -p hand-debs
    # shellcheck disable=SC2016 # mmdebstrap's shell expands $1
    mmdebstrap --mode=root --variant=apt --aptopt='Acquire::Languages "none"' --skip=download/empty,essential/unlink \
        --include="$packages${added:+,$added}" --setup-hook='mkdir -p "$1/var/cache/apt/archives"' \
        --setup-hook="cp -l $work/hand-debs/*.deb \"\$1/var/cache/apt/archives/\" 2> /dev/null || true" \
        --customize-hook="cp -n \"\$1\"/var/cache/apt/archives/*.deb $work/hand-debs/ 2> /dev/null || true" \
        "$release" hand-tree "$(mirror "$release")"
    printf '%s' "$added" > hand-added
}
hand_image() {
    chroot hand-tree /bin/bash -s < "$script"
    rm -f hand.raw hand.qcow2
    mke2fs -q -t ext4 -d hand-tree hand.raw 2G
    qemu-img convert -c -o compression_type=zstd -W -m "$(nproc)" -O qcow2 hand.raw hand.qcow2
    rm -f hand.raw
}
hand_everything() { hand_tree && hand_image; }
hand_rebuild() {
    [ "$added" = "$(cat hand-added)" ] || chroot hand-tree apt-get -y --no-install-recommends install "$added"
    printf '%s' "$added" > hand-added
    hand_image
}

# measured NAME FUNCTION: prints "WALL CPU"; the output goes to NAME.log.
measured() {
    local times
    TIMEFORMAT='%R %U %S'
    times=$( { time "$2" > "$1.log" 2>&1 < /dev/null; } 2>&1) || { tail -n 30 "$1.log" >&2; return 1; }
    awk '{ printf "%.2f %.2f", $1, $2 + $3 }' <<< "$times"
}
# prepare CASE: what has changed since the last build.
prepare() {
    added=''
    case $1 in
        nothing) hearth_rebuild > hearth-nothing.log 2>&1 < /dev/null ;;  # what came before may have been another command
        script) sed -i "s/^echo .*/echo $RANDOM$RANDOM > \/etc\/site\/state/" "$script" ;;
        package) added=less ;;
    esac
}
run_case() { # run_case CASE BUILDER: as measured()
    case $1 in
        everything) measured "$2-$1" "$2_everything" ;;
        *) measured "$2-$1" "$2_rebuild" ;;
    esac
}

# keeping WALL CPU: what keeping layers took of the build that was last, by its log, as shares of its time.
keeping() {
    awk -v wall="$1" -v cpu="$2" '
        /hearth: kept the layer up to/ { packed += $(NF - 4) }
        /hearth: the build waited .* for its layers/ { waited += $(NF - 4) }
        END { printf "keeping layers: %.2f s of CPU, %.2f %%; waited for: %.2f s, %.2f %%\n", packed, 100 * packed / cpu, waited, 100 * waited / wall }
    ' hearth.d/build.log
}

echo "nothing at hand…"
read -r cold_wall cold_cpu <<< "$(measured hearth-cold hearth_kept)"
keeping "$cold_wall" "$cold_cpu" > keeping
echo "warming the caches…"
for builder in hearth "${peers[@]}"; do
    for case in everything nothing; do
        [ "$builder $case" != "dib nothing" ] || continue
        prepare "$case"
        run_case "$case" "$builder" > /dev/null
    done
done
row() { printf '%-6s %-11s %-7s %8s %8s %s\n' "$round" "$@"; }  # row CASE BUILDER WALL CPU RATIOS
ratios() { awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" 'BEGIN { printf "%12.3f %10.3f", a / b, c / d }'; }  # a to b, c to d
printf '%-6s %-11s %-7s %8s %8s %12s %10s\n' round case builder wall cpu 'ours/wall' 'ours/cpu'
round=0 row cold hearth "$cold_wall" "$cold_cpu" "$(cat keeping)"
for round in $(seq "$rounds"); do
    for case in everything nothing script package; do
        prepare "$case"
        read -r wall cpu <<< "$(run_case "$case" hearth)"
        row "$case" hearth "$wall" "$cpu" ''
        if [ "$case" = everything ]; then
            read -r b c <<< "$(measured hearth-kept hearth_kept)"
            row kept hearth "$b" "$c" "$(ratios "$b" "$wall" "$c" "$cpu")"
        fi
        for peer in "${peers[@]}"; do
            if [ "$peer" != dib ] || [ "$case" = everything ]; then
                read -r b c <<< "$(run_case "$case" "$peer")"
                [ "$peer" != dib ] || dib_times="$b $c"
            else
                read -r b c <<< "$dib_times"  # it builds everything each time
            fi
            row "$case" "$peer" "$b" "$c" "$(ratios "$wall" "$b" "$cpu" "$c")"
        done
    done
    prepare nothing
    for builder in hearth "${peers[@]}"; do [ "$builder" = dib ] || run_case nothing "$builder" > /dev/null; done  # without the added package again
done

python3 -c 'import json; print(len(json.load(open("hearth.d/manifest.json"))["packages"]), "packages in ours")'
find . -maxdepth 2 -name '*.qcow2' -printf '%f %s\n'
uptime
