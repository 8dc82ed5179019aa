#!/bin/bash
# The whole way of a seed, in machines: the seed's deploys a blank one (a person's hands are this script's: the node is
# fake_pxe), hands its services over to it and goes down; the node serves what the seed knew at the seed's address, and
# again after it was started anew. Minutes under TCG.
#
# usage: HEARTH=… seed_takeover_machines.sh
# shellcheck source-path=SCRIPTDIR source=seed_lib.sh
. "$(dirname "$0")/seed_lib.sh"
[ -n "${HEARTH_LONG:-}" ] || skip "HEARTH_LONG is not set"
here=$(cd "$(dirname "$0")" && pwd)
needs qemu-system-x86_64 qemu-img ip mmdebstrap mksquashfs curl ssh ssh-keygen
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"

if [ "${1:-}" != inside ]; then
    work=$(mktemp -d "${TMPDIR:-/tmp}/hearth-takeover.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    (exec -a ramdisk-image-create "$HEARTH" -o deploy --ramdisk-element deploy-ramdisk debian-minimal) > log 2>&1 < /dev/null ||
        { tail -n 30 log; exit 1; }
    DIB_GRUB_TIMEOUT=0 DIB_BOOTLOADER_DEFAULT_CMDLINE='quiet systemd.show_status=no no_timer_check panic=10' \
        "$HEARTH" image create -o node --image-size 3 vm debian-minimal enable-serial-console simple-init openssh-server \
        hearth-agent boot-stack > log 2>&1 < /dev/null || { tail -n 30 log; exit 1; }
    cat > site.yaml << 'YAML'
network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}
seed: {image: seed.qcow2}
deploy: {kernel: deploy.kernel, ramdisk: deploy.initramfs}
image: node.qcow2
YAML
    "$HEARTH" seed create site.yaml --image-size 4 > log 2>&1 || { tail -n 30 log; exit 1; }
    unshare -n --kill-child --fork --pid --mount-proc bash "$here/${0##*/}" inside
    exit
fi

node_mac=52:54:00:00:00:11 node_address=192.0.2.11
ip link set lo up
ip link add br-metal type bridge stp_state 0 forward_delay 0
ip addr add 192.0.2.250/24 dev br-metal
ip link set br-metal up
ip tuntap add dev tap-node mode tap
ip link set tap-node master br-metal up

"$HEARTH" seed up site.yaml --bridge br-metal --accel tcg --timeout 900 || { tail -c 3000 seed.qcow2.run/console.log; exit 1; }
token=$(cat seed.qcow2.token)
export HEARTH_NODE_URL=http://127.0.0.1:6385
node() { "$HEARTH" node "$@" --token-file seed.qcow2.token; }

ssh-keygen -q -t ed25519 -N '' -f key
cat > instackenv.json << END
{"nodes": [{"name": "n1", "pm_type": "fake_pxe", "mac": ["$node_mac"], "capabilities": "boot_mode:bios",
            "x_seed": {"ipv4_address": "$node_address", "ssh_keys": ["$(cat key.pub)"]}}]}
END
node import instackenv.json
node set n1 --driver-info manual_agent_reboot=true --driver-info 'kernel_append_params=console=ttyS0 quiet no_timer_check panic=5'
"$HEARTH" baremetal configure boot --deploy-kernel site --deploy-ramdisk site --token-file seed.qcow2.token
version='X-OpenStack-Ironic-API-Version: 1.82' # older ones know no names, nor "available"
state_of() { call -H "$version" "$HEARTH_NODE_URL/v1/nodes/n1" > /dev/null; sed -n 's/.*"provision_state": *"\([^"]*\)".*/\1/p' body; }
# wait_for STATE SECONDS
wait_for() {
    local deadline=$((SECONDS + $2)) state
    until state=$(state_of) && [ "$state" = "$1" ]; do
        case $state in *failed) break ;; esac
        [ "$SECONDS" -lt "$deadline" ] || break
        sleep 1
    done
    [ "$state" = "$1" ] || { fail "n1 is $state, not $1"; node events n1; tail -c 2000 console.log; exit 1; }
}
[ "$(state_of)" = available ] || node provide n1
wait_for available 60

qemu-img create -q -f qcow2 disk.qcow2 4G
# switch_on ORDER: the machine, as its console's log grows.
switch_on() {
    qemu-system-x86_64 -accel tcg -machine pc -m 1024 -display none -monitor none -boot "order=$1" -serial file:console.log \
        -netdev tap,id=n,ifname=tap-node,script=no,downscript=no -device "virtio-net-pci,netdev=n,mac=$node_mac" \
        -drive if=virtio,format=qcow2,file=disk.qcow2 -device virtio-rng-pci &
    machine=$!
}
node deploy n1 --image site
until_true eval 'node todo | grep -q n1' || fail "nobody is asked to switch n1 on: $(node todo)"
switch_on nc
wait_for active 600
ssh_words=(IdentityFile=key UserKnownHostsFile=known StrictHostKeyChecking=accept-new ControlPath=none ConnectTimeout=10 BatchMode=yes)
# shellcheck disable=SC2029  # the words are for the node
on_node() { ssh "${ssh_words[@]/#/-o}" "root@$node_address" "$@"; }
deadline=$((SECONDS + 400))
until on_node true 2> ssh.log; do
    [ "$SECONDS" -lt "$deadline" ] || { fail "nobody is let in: $(cat ssh.log)"; tail -c 2000 console.log; exit 1; }
    sleep 2
done
export CURL_CA_BUNDLE=$PWD/seed.qcow2.authority.pem
stack='{"stack_name": "kept", "template": {"heat_template_version": "2018-08-31", "resources": {"r": {"type": "OS::Heat::RandomString"}}}}'
[ "$(call -X POST -d "$stack" https://127.0.0.1:8004/v1/admin/stacks)" = 201 ] || fail "no stack: $(cat body)"

takeover() { "$HEARTH" seed takeover site.yaml n1 "${ssh_words[@]/#/--ssh-option=}" "$@"; }
takeover --check || fail "it would not work"
takeover || { fail "the takeover fails"; on_node journalctl -n 30 -o cat; exit 1; }

export CURL_CA_BUNDLE=$PWD/server.pem # serves() fetches it; the node's addresses are in it
# serves: what the seed knew, at the seed's address.
serves() {
    on_node cat /var/lib/hearth/node/server.pem > server.pem || fail "the node has no certificate of its own"
    [ "$(call https://192.0.2.1:6385/v1)" = 200 ] || fail "the seed's address does not answer: $(cat body)"
    [ "$(call -H "$version" https://$node_address:6385/v1/nodes/n1)" = 200 ] || fail "the node's conductor: $(cat body)"
    grep -qE '"provision_state": ?"active"' body || fail "n1 is not active: $(cat body)"
    [ "$(call https://192.0.2.1:8004/v1/admin/stacks)" = 200 ] || fail "the stack engine: $(cat body)"
    grep -q '"kept"' body || fail "the stack is lost: $(cat body)"
    { curl -sS --noproxy '*' --max-time 120 -o served http://192.0.2.1/images/site.qcow2 && cmp served node.qcow2; } ||
        fail "the image is not served"
}
! pgrep -f "$PWD/seed.qcow2.run" || fail "the seed's machine is still up"
told=$("$HEARTH" seed status site.yaml) || fail "the services don't answer: $told"
grep -q 'run on n1' <<< "$told" || fail "it is not told where the services are: $told"
serves
! "$HEARTH" seed up site.yaml --bridge br-metal --accel tcg 2> error || fail "a seed that has given its services away starts"
grep -q 'n1' error || fail "it is not told where they are: $(cat error)"

# Its power is cut; it serves at its next boot, too.
kill -9 "$machine"
wait "$machine" 2> /dev/null || true
switch_on c
deadline=$((SECONDS + 400))
until answers_with 200 https://192.0.2.1:6385/v1 && answers_with 200 https://192.0.2.1:8004/v1/admin/stacks; do
    [ "$SECONDS" -lt "$deadline" ] || { fail "after a power cut it does not serve"; tail -c 2000 console.log; break; }
    sleep 2
done
serves
kill "$machine"
[ "$failures" = 0 ]
