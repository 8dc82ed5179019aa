#!/bin/bash
# Builds the deploy ramdisk and deploys blank machines with it (BIOS and UEFI; whole disks and a partition image); where
# python3-ironic is installed, Debian's own Ironic does the same. usage: deploy_ramdisk.sh HEARTH
set -eu
set -o pipefail
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }

hearth=$1
here=$(cd "$(dirname "$0")" && pwd)
for program in qemu-system-x86_64 mmd sfdisk grub-mkimage openssl ssh; do
    command -v "$program" >/dev/null || [ -x "/sbin/$program" ] || { echo "$program is not here"; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/deploy-ramdisk.XXXXXX")
trap 'rm -rf "$work"' EXIT

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj '/CN=a conductor' \
    -addext 'subjectAltName=IP:127.0.0.1,IP:192.0.2.2' -keyout "$work/tls.key" -out "$work/tls.crt" 2>/dev/null
export DIB_DEPLOY_RAMDISK_CA=$work/tls.crt
(exec -a ramdisk-image-create "$hearth" -o "$work/deploy" --ramdisk-element deploy-ramdisk debian-minimal) >"$work/log" 2>&1 ||
    { tail -n 30 "$work/log"; exit 1; }
size=$(cat "$work/deploy.kernel" "$work/deploy.initramfs" | wc -c)
echo "kernel and ramdisk: $size bytes"
[ "$size" -lt 60000000 ]
export PYTHONDONTWRITEBYTECODE=1 PATH=$PATH:/sbin:/usr/sbin
/usr/bin/python3 "$here/ramdisk_test.py" "$work/deploy.kernel" "$work/deploy.initramfs" "$hearth"
"$hearth" image create -t raw -o "$work/part" \
    -p linux-image-cloud-amd64,initramfs-tools,grub2-common,grub-pc-bin,grub-efi-amd64-bin debian-minimal enable-serial-console \
    >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }
/usr/bin/python3 "$here/partition_test.py" "$work/deploy.kernel" "$work/deploy.initramfs" "$work/part.raw"
/usr/bin/python3 "$here/rescue_test.py" "$work/deploy.kernel" "$work/deploy.initramfs" "$hearth" "$work/tls.crt" "$work/tls.key"
for image in "" "$work/part.raw"; do
    status=0
    /usr/bin/python3 "$here/../../peers/deploy/ironic_peer.py" "$work/deploy.kernel" "$work/deploy.initramfs" bios ${image:+"$image"} || status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ]
done
