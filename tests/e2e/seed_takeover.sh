#!/bin/bash
# A seed's services move to another machine: two machines as namespaces, a real sshd on the node. The takeover is killed
# again and again and begun anew, called off once, and at the end the node serves what the seed knew, at its address.
# systemd is not there: a script stands in for systemctl, and runs what the units and the drop-in say.
#
# usage: HEARTH=… seed_takeover.sh
# shellcheck source-path=SCRIPTDIR source=seed_lib.sh
. "$(dirname "$0")/seed_lib.sh"
needs ip unshare nsenter ssh-keygen ssh scp curl /usr/sbin/sshd
here=$(cd "$(dirname "$0")" && pwd)
if [ "${1:-}" != inside ]; then
    work=$(mktemp -d /tmp/hearth-takeover.XXXXXX)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    HERE=$here timeout 300 unshare -mn --propagation private --kill-child --fork --pid --mount-proc bash ${DEBUG:+-x} "$here/${0##*/}" inside
    exit
fi

work=$PWD
boot_stack=$HERE/../../elements/boot-stack
agent=${HEARTH_AGENT_BINARY:-$(dirname "$(dirname "$HEARTH")")/agent/hearth-agent}

# Overlays take what the node writes to /etc, /usr/lib and /var/lib.
mount -t tmpfs tmpfs "$work"
cd "$work"
for place in etc usr/lib/systemd var/lib usr/local; do
    name=${place//\//-}
    mkdir -p "over/$name.upper" "over/$name.work"
done
# start NAME: a network namespace as long as its sleeper; its pid in NAME.pid. The node's has mounts of its own.
unshare -n sleep 1000 & seed_ns=$!
unshare -mn --propagation private sleep 1000 & node_ns=$!
until [ "$(readlink /proc/$seed_ns/ns/net)" != "$(readlink /proc/self/ns/net)" ] &&
    [ "$(readlink /proc/$node_ns/ns/mnt)" != "$(readlink /proc/self/ns/mnt)" ]; do sleep 0.05; done
on_seed() { nsenter -t "$seed_ns" -n "$@"; }
on_node() { nsenter -t "$node_ns" -m -n "$@"; }
ip link set lo up
ip link add br0 type bridge stp_state 0 forward_delay 0
ip address add 192.0.2.250/24 dev br0
ip address add 198.51.100.250/24 dev br0
ip link set br0 up
for machine in seed node; do
    pid=${machine}_ns
    ip link add "to-$machine" type veth peer name eth0 netns "${!pid}"
    ip link set "to-$machine" master br0 up
    nsenter -t "${!pid}" -n ip link set lo up
    nsenter -t "${!pid}" -n ip link set eth0 up
done
on_seed ip address add 198.51.100.1/24 dev eth0
on_node ip address add 192.0.2.11/24 dev eth0
for place in etc usr/lib/systemd var/lib usr/local; do
    name=${place//\//-}
    on_node mount -t overlay overlay -o "lowerdir=/$place,upperdir=$work/over/$name.upper,workdir=$work/over/$name.work" "/$place" ||
        skip "no overlay can be mounted here"
done

# The node: boot-stack's files, an sshd, and what stands in for systemctl.
on_node bash -es << END
mkdir -p /usr/lib/systemd/system /usr/local/sbin /var/lib/hearth /run/sshd
mount -t tmpfs tmpfs /var/lib/hearth
cp "$boot_stack"/init-scripts/systemd/*.service /usr/lib/systemd/system/
cp "$boot_stack"/static/usr/local/sbin/* /usr/local/sbin/
ln -sf "$HEARTH" /usr/local/sbin/hearth
rm -rf /etc/hearth
# As its agent does, whose metadata say nothing of a seed.
echo '{}' > metadata.json
(exec -a os-apply-config "$agent" -m metadata.json -t "$boot_stack/os-apply-config" -o /)
END
cat > systemctl << 'END'
#!/bin/bash
# Runs what a unit's lines say, for the two units of a takeover.
set -eu
value() { cat "/usr/lib/systemd/system/$1" "/etc/systemd/system/$1.d"/*.conf 2> /dev/null | sed -n "s/^$2=//p" | grep -v '^$' | tail -n 1; }
stop() {
    [ -e "/run/takeover-$1" ] || return 0
    kill "$(cat "/run/takeover-$1")" 2> /dev/null || true
    while kill -0 "$(cat "/run/takeover-$1")" 2> /dev/null; do sleep 0.05; done
    rm "/run/takeover-$1"
}
[ "${2:-}" != --no-block ] || set -- "$1" "$3"
case "$1 ${2:-}" in
    "daemon-reload "*) ;;
    stop*address* | restart*address*)
        set -a; . "$(value "$2" EnvironmentFile)"
        stop "$2"
        if [ "$1" = stop ]; then /usr/local/sbin/hearth-seed-address drop; exit; fi
        $(value "$2" ExecStartPre)
        setsid $(value "$2" ExecStart) > /dev/null 2>&1 < /dev/null &
        echo $! > "/run/takeover-$2" ;;
    stop*) stop "$2" ;;
    restart*)
        stop "$2"
        . "$(value "$2" EnvironmentFile)"
        prepare=$(value "$2" ExecStartPre)
        ${prepare#+}
        command=$(value "$2" ExecStart)
        command=${command/\/usr\/bin\/hearth//usr/local/sbin/hearth}
        eval "setsid $command" >> /run/takeover.log 2>&1 < /dev/null &
        echo $! > "/run/takeover-$2" ;;
    *) exit 1 ;;
esac
END
chmod +x systemctl
mkdir run
on_node bash -es << END
cp "$work/systemctl" /usr/local/sbin/systemctl
mount --bind "$work/run" /run
mkdir -p /run/sshd
END
ssh-keygen -q -t ed25519 -N '' -f host_key
ssh-keygen -q -t ed25519 -N '' -f key
cat > sshd_config << END
ListenAddress 192.0.2.11
HostKey $work/host_key
AuthorizedKeysFile $work/key.pub
StrictModes no
UsePAM no
PidFile none
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp
SetEnv PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
END
on_node /usr/sbin/sshd -D -e -f "$work/sshd_config" 2> sshd.log &

# The seed: its services, started again only when they say so (75); when they have left, its address goes with them.
write_site
cat > boot.json << END
{"interfaces": ["eth0"], "mode": "full", "unknown": "local", "state_dir": "$work/seed",
 "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.199"]}]}
END
mkdir -p seed/metadata
token=a-token-for-this-test
(umask 077 && echo $token | tee seed/api-token > seed/metadata/api-token)  # none that others read is taken
seed_services() {
    local status=75
    while [ "$status" = 75 ]; do
        on_seed ip address replace 192.0.2.1/24 dev eth0
        status=0
        on_seed "$HEARTH" node serve --boot boot.json --engine --listen 198.51.100.1 \
            --stacks-listen 0.0.0.0 --public 192.0.2.1 --state "$work/seed" >> seed.log 2>&1 || status=$?
        echo "$status" >> seed.statuses
    done
    on_seed ip address del 192.0.2.1/24 dev eth0
}
seed_services &
seed=http://198.51.100.1:6385
until_is 200 "$seed/v1/nodes"
node() { HEARTH_NODE_URL=$seed "$HEARTH" "$@" --token-file seed/api-token; }
for name in n1 n2; do
    [ "$(call -X POST -d '{"driver": "fake-hardware", "name": "'$name'", "extra": {"x_seed": {"ipv4_address": "192.0.2.11"}},
        "instance_info": {"image_source": "http://192.0.2.1/site.qcow2"}}' "$seed/v1/nodes")" = 201 ] ||
        fail "no node: $(cat body)"
done
has_settled() { answers_with 200 "$seed/v1/nodes/n1" && grep -qE '"provision_state": ?"(manageable|active)"' body; }
for target in manage adopt; do
    [ "$(call -X PUT -H 'X-OpenStack-Ironic-API-Version: 1.82' -d '{"target": "'$target'"}' "$seed/v1/nodes/n1/states/provision")" = 202 ] || fail "$target: $(cat body)"
    until_true has_settled || fail "n1 after $target: $(cat body)"
done
grep -qE '"provision_state": ?"active"' body || fail "n1 is not active: $(cat body)"
record='{"kernel": "/var/lib/hearth/node/files/images/site.kernel", "ramdisk": "/x", "file": "/var/lib/hearth/node/files/images/site.qcow2"}'
[ "$(call -X PUT -d "$record" "$seed/v1/hearth/images/site")" = 204 ] || fail "no image: $(cat body)"
export CURL_CA_BUNDLE=$work/seed/metadata/authority.pem
stack='{"stack_name": "kept", "template": {"heat_template_version": "2018-08-31", "resources": {"r": {"type": "OS::Heat::RandomString"}}}}'
[ "$(call -X POST -d "$stack" https://198.51.100.1:8004/v1/admin/stacks)" = 201 ] || fail "no stack: $(cat body)"
stack_id() { sed -n 's/.*"id": *"\([0-9a-f-]*\)".*/\1/p' body; }
call https://198.51.100.1:8004/v1/admin/stacks > /dev/null
kept=$(stack_id)

words=("$HEARTH" seed takeover site.yaml --url "$seed" --token-file seed/api-token --ssh-option "IdentityFile=$work/key"
    --ssh-option "UserKnownHostsFile=$work/known" --ssh-option StrictHostKeyChecking=accept-new --ssh-option ControlPath=none
    --program /usr/local/sbin/hearth)
takeover() { timeout 120 "${words[@]}" "$@"; }

! takeover n2 > out 2>&1 || fail "a node that is not active takes over"
grep -q 'n2 is .*: only an active node can take over' out || fail "it is not told why n2 can't: $(cat out)"
takeover n1 --check > out 2>&1 || fail "it would not work: $(cat out)"
[ "$(call "$seed/v1/nodes")" = 200 ] || fail "the check changed something"

# Called off once the seed's services have ended: they start again and know everything.
"${words[@]}" n1 > out 2>&1 &
attempt=$!
until grep -q "services end" out || ! kill -0 $attempt 2> /dev/null; do sleep 0.02; done
kill -9 $attempt 2> /dev/null || fail "it ended too early: $(cat out)"
wait $attempt 2> /dev/null || true
takeover --back > out 2>&1 || fail "it can't be called off: $(cat out)"
until_is 200 "$seed/v1/nodes/n1"
until_is 200 https://198.51.100.1:8004/v1/admin/stacks
[ "$(stack_id)" = "$kept" ] || fail "calling off has lost the stack"

# Killed at random moments, begun again, to the end.
for attempt in 1 2 3 4 5 6 last; do
    timeout 120 "${words[@]}" n1 > out 2>&1 &
    running=$!
    if [ "$attempt" != last ]; then
        sleep "$((RANDOM % 3)).$((RANDOM % 9 + 1))"
        pkill -9 -P $running || true
    fi
    status=0
    wait $running 2> /dev/null || status=$?
    [ "$status" != 0 ] || break
    grep -E '^hearth:' out || true
done
[ "$status" = 0 ] || fail "the takeover does not end: $(cat out) $(cat sshd.log) $(tail -n 20 run/takeover.log)"

[ "$(cat seed.statuses)" = "$(printf '75\n0')" ] || fail "the seed's services ended otherwise: $(cat seed.statuses)"
here=https://192.0.2.11:6385
export CURL_CA_BUNDLE=$PWD/server.pem # both addresses are in it
cat "/proc/$node_ns/root/var/lib/hearth/node/server.pem" > server.pem || fail "the node has no certificate of its own"
[ "$(call "$here/v1/nodes")" = 200 ] || fail "the node's conductor: $(cat body)"
[ "$(grep -o '"uuid"' body | wc -l)" = 2 ] || fail "nodes are lost: $(cat body)"
[ "$(call https://192.0.2.1:6385/v1)" = 200 ] || fail "the seed's address does not answer"
[ "$(call https://192.0.2.1:8004/v1/admin/stacks)" = 200 ] || fail "the stack engine: $(cat body)"
# What trusted the seed trusts the node.
[ "$(CURL_CA_BUNDLE=$work/seed/metadata/authority.pem call https://192.0.2.1:8004/v1/admin/stacks)" = 200 ] || fail "another authority: $(cat body)"
[ "$(stack_id)" = "$kept" ] || fail "the stack is lost: $(cat body)"
{ curl -sS --noproxy '*' --max-time 30 -o served http://192.0.2.1/images/site.qcow2 && cmp served node.qcow2; } || {
    ls -lR /proc/$node_ns/root/var/lib/hearth
    fail "the image is not served: $(head -c 300 served) $(tail -n 20 run/takeover.log)"
}
call "$here/v1/hearth/events?newest=true" > /dev/null
grep -q 'the services run on n1 now' body || fail "no event tells it: $(cat body)"
[ "$(call -X DELETE "$here/v1/nodes/n1")" != 204 ] || fail "the node that serves can be deleted"
on_node ip address del 192.0.2.1/24 dev eth0
until_true answers_with 200 https://192.0.2.1:6385/v1 || fail "the address does not come back when something takes it away"
takeover n1 | grep -q 'run on n1 already' || fail "done once is not done"
! takeover --back > out 2>&1 || fail "it is called off though the node serves"
"$HEARTH" seed up site.yaml --bridge br0 > out 2>&1 && fail "the seed starts beside the node"
grep -q 'run on n1' out || fail "seed up does not say where the services are: $(cat out)"
[ "$failures" = 0 ]
