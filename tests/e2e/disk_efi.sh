#!/bin/bash
# A Debian tree becomes a disk by the block-device-efi layout, which must be sound by the judgement of other tools and
# start by BIOS and by UEFI.  disk_efi.sh DISK_IMAGE DISK_BOOT ELEMENTS
set -euo pipefail
disk_image=$1 disk_boot=$2 elements=$3

for tool in mmdebstrap qemu-system-x86_64 qemu-img sgdisk sfdisk e2fsck grub-mkimage mcopy; do
  PATH=$PATH:/usr/sbin:/sbin command -v "$tool" > /dev/null || { echo "SKIPPED: $tool is not installed"; exit 77; }
done
export PATH=$PATH:/usr/sbin:/sbin
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' | awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || { echo "SKIPPED: apt knows no bookworm mirror"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$disk_image" "$elements/block-device-efi/block-device-default.yaml" image.qcow2 --bootstrap "$mirror"

echo "== sound?"
qemu-img check image.qcow2
sgdisk --verify image.raw | tee sgdisk.log
grep -q 'No problems found' sgdisk.log
sfdisk --verify image.raw
read -r start size < <(sfdisk --json image.raw | python3 -c '
import json, sys
root = [p for p in json.load(sys.stdin)["partitiontable"]["partitions"] if p["name"] == "root"][0]
print(root["start"], root["size"])')
dd if=image.raw of=root.img bs=512 skip="$start" count="$size" conv=sparse status=none
e2fsck -fn root.img

echo "== BIOS"
"$disk_boot" image.qcow2 bios 400 'Linux version' 'login: $'
echo "== UEFI"
"$disk_boot" image.qcow2 uefi 500 'Linux version' 'login: $'
