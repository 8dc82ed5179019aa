#!/bin/bash
# A rehearsal whose stack has no server, so that no machine is switched on: faults are injected from the beginning, and one
# whose moment never comes is told; a second rehearsal in the same folder is refused, and so is a folder of something else.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
skip() {
    echo "SKIPPED: $*"
    exit 77
}
for program in qemu-system-x86_64 qemu-img ip; do
    command -v "$program" > /dev/null || skip "$program is not installed"
done
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
unshare -Urn true 2> /dev/null || skip "user namespaces are not allowed"

qemu-img create -q -f qcow2 node.qcow2 1M
echo "a kernel" > deploy.kernel
echo "a ramdisk" > deploy.initramfs
cat > site.yaml << 'YAML'
network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}
deploy: {kernel: deploy.kernel, ramdisk: deploy.initramfs}
image: node.qcow2
machines: [{name: one}, {name: two}]
stack: {template: stack.yaml}
YAML
cat > stack.yaml << 'YAML'
heat_template_version: 2018-08-31
resources: {words: {type: OS::Heat::RandomString}}
YAML
rehearse() { timeout 120 "$HEARTH" rehearse site.yaml --accel tcg --no-inspection "$@"; }

! rehearse --inject dead-disk:three > error 2>&1 || fail "a fault of no machine is accepted"
expect_text error "no machine 'three'"
rehearse --inject lossy-link:one --inject dead-disk:two --inject power-loss:two@deploying > run.log 2>&1 &
first=$!
until grep -q '^== deployment' run.log 2> /dev/null || ! kill -0 "$first" 2> /dev/null; do sleep 0.1; done
! rehearse > error 2>&1 || fail "two rehearsals run in one folder"
expect_text error "a rehearsal runs in $work/site.rehearsal" "give another --output"
status=0
wait "$first" || status=$?
[ "$status" = 1 ] || fail "without an active machine it ended with $status"
expect_text run.log '*** fault: lossy-link:one' '*** fault: dead-disk:two' 'CREATE_COMPLETE' \
    'not injected, its moment never came: power-loss:two@deploying' '== what went wrong'
expect_text site.rehearsal/machines/one/console.log 'rehearsal: fault: lossy-link'
expect_text site.rehearsal/machines/two/console.log 'rehearsal: fault: dead-disk'

mkdir -p mine/machines
! rehearse --output mine > error 2>&1 || fail "a folder of something else is taken"
expect_text error "$work/mine is not empty, and no rehearsal's"
[ -d mine/machines ] || fail "a folder of something else is emptied"
finish
