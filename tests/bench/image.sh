#!/bin/bash
# The hello image by Hearth against the same packages by diskimage-builder (Debian's python3-diskimage-builder), both with
# warm caches, in turn, in one run: seconds, and the ratio. Ours makes a bootable disk; the peer a plain file-system image,
# since its boot loader needs device-mapper; so the peer has less to do.
#
# usage: image.sh HEARTH [ROUNDS]      needs root (for the peer), the network, and some minutes
set -euo pipefail

hearth=$(readlink -f "$1")
rounds=${2:-1}
root=$(cd "$(dirname "$0")/../.." && pwd)
peer=$(command -v disk-image-create) || { echo "SKIPPED: python3-diskimage-builder is not installed"; exit 77; }
for tool in sudo debootstrap; do
    command -v "$tool" > /dev/null || { echo "SKIPPED: diskimage-builder needs the package $tool"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "SKIPPED: diskimage-builder needs root"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror() { apt-get indextargets --format '$(RELEASE) $(REPO_URI)' | awk -v r="$1" '$1 == r { print $2; exit }'; }
# What diskimage-builder's debian-minimal installs for its own sake; ours gets it too, so that both hold the same.
own=busybox,sudo,gnupg2,python3,tzdata,eatmydata
packages=linux-image-cloud-amd64,initramfs-tools,zstd,dbus,udev,systemd-sysv,$own

ours() {
    ELEMENTS_PATH=$root/examples/hello/elements DIB_IMAGE_CACHE=$work/cache "$hearth" image create -o ours -p "$own" \
        --metadata "$root/examples/hello/metadata.json" vm debian-minimal enable-serial-console hello
}
theirs() {
    env DIB_RELEASE="$release" DIB_DISTRIBUTION_MIRROR="$(mirror "$release")" \
        DIB_DEBIAN_SECURITY_MIRROR="$(mirror "$release-security")" DIB_DEBIAN_SECURITY_SUBPATH=-security \
        DIB_PYTHON_VERSION=3 DIB_IMAGE_CACHE="$work/dib-cache" DIB_DEBOOTSTRAP_CACHE=1 \
        DIB_DEBIAN_USE_DEBOOTSTRAP_CACHE=1 OVERWRITE_OLD_IMAGE=1 \
        "$peer" -n -t qcow2 -o theirs -p "$packages" debian-minimal
}
# timed FUNCTION: its wall seconds; its output goes to FUNCTION.log.
timed() {
    local began=$EPOCHREALTIME
    "$1" > "$1.log" 2>&1 < /dev/null || { tail -n 30 "$1.log" >&2; exit 1; }
    awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'
}

echo "warming the caches…"
timed ours > /dev/null
timed theirs > /dev/null
printf '%-8s %10s %10s %8s\n' round ours theirs ratio
for round in $(seq "$rounds"); do
    a=$(timed ours)
    b=$(timed theirs)
    printf '%-8s %8s s %8s s %8s\n' "$round" "$a" "$b" "$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.2f", a / b }')"
done
echo "packages: $(python3 -c 'import json; print(len(json.load(open("ours.d/manifest.json"))["packages"]))') in ours"
ls -l ours.qcow2 theirs.qcow2 | awk '{ print $NF, $5 }'
