#!/bin/bash
# examples/hello, as its README says it: the machine renders its template, runs its deployment and records the result;
# the same image starts under BIOS and under UEFI, and its root has grown to the disk. Beside what its README has, the image is
# given VLANs when it is made: it has them after its first boot.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
root=$(cd "$here/../.." && pwd)
export ELEMENTS_PATH=$root/examples/hello/elements:$here/elements DIB_VLANS='auto.25=192.0.2.5/24@192.0.2.1 auto.26=dhcp'
"$HEARTH" image create -o hello --image-size 3 --metadata "$root/examples/hello/metadata.json" \
    vm debian-minimal enable-serial-console hello first-boot-vlans dhcp-all-interfaces announce-links < /dev/null || fail "the build fails"
# Its layers are everybody's: neither home nor user nor terminal of who builds is an input of any step.
jq -e '.steps | length > 10' hello.d/steps.json > /dev/null || fail "the build tells of no steps"
[ -z "$(jq -r '.steps[] | select(any(.facts | keys[]; test("^env (HOME|USER|LOGNAME|TERM)$"))) | .step' hello.d/steps.json)" ] ||
    fail "the user is an input of: $(jq -c '.steps[] | {step, env: [.facts | keys[] | select(startswith("env "))]}' hello.d/steps.json)"
qemu-img check -q hello.qcow2 || fail "qemu-img check finds errors"
# configured FIRMWARE OPTION…: the machine configures itself, and says so; then comes what `later` has.
later=()
configured() {
    "$HEARTH" image test hello.qcow2 --accel tcg --firmware "$1" --timeout 400 "${@:2}" \
        --expect 'greeting = Hello from a machine that configured itself' \
        --expect '"deploy_stdout": "hello from the deployment' --expect '"deploy_status_code": "?0' \
        --expect 'hello: done' "${later[@]}" || fail "$1: the machine did not configure itself"
}
configured bios
# On a larger disk the root grows at its next boot.
qemu-img resize -q hello.qcow2 5G
later=(--expect 'announced link [a-z0-9]*\.25' --expect 'announced link [a-z0-9]*\.26' --expect 'the unit of VLANs is active')
configured uefi --network --expect 'resized filesystem'
finish
