#!/bin/bash
# A seed as a virtual machine: built, started on a bridge, asked, stopped, started again with what it knew; a second one on
# the same network does not serve. Minutes under TCG, so only where HEARTH_LONG is set.
#
# usage: HEARTH=… seed.sh
# shellcheck source-path=SCRIPTDIR source=seed_lib.sh
. "$(dirname "$0")/seed_lib.sh"
[ -n "${HEARTH_LONG:-}" ] || skip "HEARTH_LONG is not set"
here=$(cd "$(dirname "$0")" && pwd)
needs qemu-system-x86_64 ip mmdebstrap mksquashfs curl
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"

if [ "${1:-}" != inside ]; then
    work=$(mktemp -d "${TMPDIR:-/tmp}/hearth-seed-test.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    write_site
    "$HEARTH" seed create site.yaml --image-size 4
    [ "$(stat -c %a seed.qcow2.token)" = 600 ] || fail "the token can be read by others"
    # A second seed of another address, on the same network.
    sed 's/seed: 192.0.2.1,/seed: 192.0.2.2,/; s/seed.qcow2/second.qcow2/' site.yaml > second.yaml
    "$HEARTH" seed create second.yaml --image-size 4
    [ "$failures" = 0 ] || exit 1
    unshare -n --kill-child --fork --pid --mount-proc bash "$here/${0##*/}" inside
    exit
fi

ip link set lo up
! "$HEARTH" seed up site.yaml --bridge br-metal --accel tcg 2> error || fail "it starts without a bridge"
grep -q 'there is no bridge br-metal' error || fail "the missing bridge is not named: $(cat error)"
ip link add br-metal type bridge
ip addr add 192.0.2.250/24 dev br-metal
ip link set br-metal up

"$HEARTH" seed up site.yaml --bridge br-metal --accel tcg --timeout 900 || { tail -c 3000 seed.qcow2.run/console.log; exit 1; }
token=$(cat seed.qcow2.token)
[ "$(curl -s --noproxy '*' -o /dev/null -w '%{http_code}' http://127.0.0.1:6385/v1/nodes)" = 401 ] || fail "people need no token"
[ "$(call http://127.0.0.1:6385/v1/nodes)" = 200 ] || fail "the token is not good"
[ "$(call --cacert seed.qcow2.authority.pem https://127.0.0.1:8004/v1/admin/stacks)" = 200 ] || fail "the stack engine does not answer: $(cat body)"
[ "$(call http://127.0.0.1:6385/v1/hearth/images/site)" = 200 ] || fail "the image is not registered"
url=$(sed -n 's/.*"image_source": *"\([^"]*\)".*/\1/p' body)
{ curl -s --noproxy "*" --max-time 60 -o served "$url" && cmp -s served node.qcow2; } || fail "$url is not the image"
[ "$(call -X POST -d '{"driver": "fake-hardware", "name": "kept"}' http://127.0.0.1:6385/v1/nodes)" = 201 ] || fail "no node: $(cat body)"
! "$HEARTH" seed up site.yaml --bridge br-metal --accel tcg 2> error || fail "it starts twice"
grep -q 'up already' error || fail "a seed that is up is not named: $(cat error)"
printf '\x1d' | "$HEARTH" seed console site.yaml > /dev/null || fail "its console can't be left"

# Its DHCP server refuses to be the second one, and says whom it has seen.
! "$HEARTH" seed up second.yaml --bridge br-metal --accel tcg --first-port 20000 --timeout 600 > second.log 2>&1 || fail "two seeds serve one network"
grep -q '192.0.2.1' second.log || fail "the first seed is not named: $(cat second.log)"
"$HEARTH" seed down second.yaml --force

"$HEARTH" seed down site.yaml || fail "it does not go down"
! "$HEARTH" seed status site.yaml || fail "it is still up"
! ip link show | grep -q hseed- || fail "its tap is left"
"$HEARTH" seed up site.yaml --bridge br-metal --accel tcg --timeout 900 || fail "it does not start again"
"$HEARTH" seed status site.yaml | tee status
grep -qE '1 (enroll|available)' status || fail "what it knew is lost"
"$HEARTH" seed down site.yaml --force
[ "$failures" = 0 ]
