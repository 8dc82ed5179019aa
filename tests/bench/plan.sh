#!/bin/bash
# Planning a build of some sixty of upstream's elements: `hearth image plan`, which also merges hooks and checks every YAML
# and JSON file, beside upstream's element-info, which only resolves names. Both in turn, on the same elements; the medians.
#
# usage: plan.sh HEARTH [ROUNDS]      needs Debian's python3-diskimage-builder; no root
set -euo pipefail

hearth=$(readlink -f "$1")
rounds=${2:-15}
package=$(/usr/bin/python3 -c 'import diskimage_builder as d; print(d.__path__[0])' 2> /dev/null) ||
    { echo "SKIPPED: python3-diskimage-builder is not installed"; exit 77; }
elements=(debian vm block-device-mbr base apt-conf apt-preferences apt-sources baremetal bootloader cache-url
    cleanup-kernel-initrd cloud-init cloud-init-datasources cloud-init-disable-resizefs cloud-init-nocloud deploy-baremetal devuser
    dhcp-all-interfaces dib-init-system dib-python disable-nouveau disable-selinux dkms dracut-network dynamic-login
    element-manifest enable-serial-console ensure-venv epel growroot growvols grub2 hwburnin hwdiscovery ibft-interfaces ilo
    install-static install-types iscsi-boot journal-to-console local-config no-final-image openssh-server
    openstack-ci-mirrors pip-and-virtualenv pip-cache posix pypi runtime-ssh-host-keys select-boot-kernel-initrd
    selinux-permissive simple-init source-repositories svc-map sysctl uboot)
export ELEMENTS_PATH=$package/elements

ours() { "$hearth" image plan -n "${elements[@]}" > plan.txt 2> /dev/null; }
theirs() { /usr/bin/python3 "$package/lib/element-info.py" --env "${elements[@]}" > info.txt 2> /dev/null; }
# milliseconds FUNCTION: its wall time.
milliseconds() {
    local began=$EPOCHREALTIME
    "$1"
    awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f\n", (b - a) * 1000 }'
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ours
theirs
for _ in $(seq "$rounds"); do
    milliseconds ours >> ours.times
    milliseconds theirs >> theirs.times
done
a=$(median < ours.times)
b=$(median < theirs.times)
count=$(sed -n 's/^elements: //p' plan.txt | wc -w)
printf '%s elements, %s steps: ours %s ms, element-info %s ms, ratio %s\n' "$count" "$(grep -c '^  ' plan.txt)" "$a" "$b" \
    "$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", a / b }')"
