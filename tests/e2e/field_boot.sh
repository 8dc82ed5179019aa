#!/bin/bash
# A machine that was given its VLANs when its image was made has them after its first boot.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
type -P mmdebstrap qemu-system-x86_64 > /dev/null || { echo "SKIPPED: mmdebstrap and qemu are needed" && exit 77; }
debian_release
export DIB_RELEASE=$release DIB_VLANS='auto.25=192.0.2.5/24@192.0.2.1 auto.26=dhcp'
"$HEARTH" image create -o vlans vm debian-minimal enable-serial-console first-boot-vlans dhcp-all-interfaces announce-links \
    > out 2>&1 < /dev/null || { cat out >&2 && exit 1; }
"$HEARTH" image test vlans.qcow2 --accel tcg --network --timeout 900 --expect 'Finished.*first-boot' \
    --expect 'announced link [a-z0-9]*\.25' --expect 'login:' > out 2>&1 || fail "$(cat out)"
finish
