#!/bin/bash
# os-net-config with Debian's own ifup and ifdown, on veth and bridge devices in network namespaces of its own: what it
# writes is what ifupdown understands, only what changed is restarted, and --check puts back what cuts the machine off.
#
# usage: net_namespace.sh OS_NET_CONFIG        (root; a link to hearth-agent of that name)
set -euo pipefail

skip() {
    echo "SKIPPED: $*"
    exit 77
}

if [ "${1:-}" != --inside ]; then
    [ "$(id -u)" = 0 ] || skip "needs root for network namespaces"
    command -v /sbin/ifup >/dev/null && command -v ip >/dev/null && command -v python3 >/dev/null ||
        skip "needs ifupdown, iproute2 and python3"
    unshare -n true 2>/dev/null || skip "this kernel allows no network namespace here"
    exec timeout 300 unshare -n -m --propagation private --kill-child -pf bash "$0" --inside "$(realpath -s "$1")"
fi

program=$2
failures=0
work=$(mktemp -d)
mount -t tmpfs tmpfs "$work"
mount -t tmpfs tmpfs /run
mount -t sysfs sysfs /sys # of this namespace
mkdir -p "$work/etc-network"/if-{pre-up,up,down,post-down}.d "$work/root/etc/network" "$work/root/var/log" /run/network
mount --bind "$work/etc-network" /etc/network # hooks of this machine stay out of it
cd "$work"

check() { # NAME COMMAND…
    local name=$1
    shift
    if "$@" >"$work/check.log" 2>&1; then
        echo "ok    $name"
    else
        echo "FAIL  $name: $*"
        sed 's/^/      /' "$work/check.log"
        failures=$((failures + 1))
    fi
}

# net STATUS [OPTION…] < YAML: runs it with the config on stdin; its status must be STATUS.
net() {
    local wanted=$1 status=0
    shift
    cat > config.yaml
    "$program" -c config.yaml -m /nowhere -r "$work/root" -p eni --detailed-exit-codes -v "$@" >out 2>log || status=$?
    [ "$status" = "$wanted" ] || { echo "exit status $status, not $wanted" && cat out log; }
    [ "$status" = "$wanted" ]
}

has() { # DEVICE TEXT: what `ip addr` shows of it
    ip -o addr show dev "$1" | grep -F " $2"
}

# The other side: a gateway with a web server, in a namespace of its own.
ip link set lo up
ip netns add far
ip link add em1 type veth peer name far1
ip link add em2 type veth peer name far2
ip link set far1 netns far
ip link set far2 netns far
far() { ip netns exec far "$@"; }
far ip link set lo up
far ip addr add 192.0.2.254/24 dev far1
far ip addr add 2001:db8::fe/64 dev far1 nodad
far ip link set far1 up
far ip link set far2 up
mkdir www
far python3 -m http.server --directory www --bind 192.0.2.254 8000 >/dev/null 2>&1 &

static='network_config:
- type: route_table
  name: extra
  table_id: 200
- type: interface
  name: em1
  mtu: 1400
  addresses:
  - ip_netmask: 192.0.2.1/24
  - ip_netmask: 2001:db8::1/64
  routes:
  - {default: true, next_hop: 192.0.2.254}
  - {destination: 203.0.113.0/24, next_hop: 192.0.2.254, table: extra, metric: 7}
  - {destination: "2001:db8:9::/48", next_hop: "2001:db8::fe"}
  rules:
  - {rule: from 192.0.2.0/24 table extra priority 1000}
- type: interface
  name: em2
  addresses:
  - ip_netmask: 198.51.100.1/24
'
run_static() { net "$1" <<<"$static"; }
check "the first run changes the files" run_static 2
check "an IPv4 address" has em1 "inet 192.0.2.1/24"
check "an IPv6 address" has em1 "inet6 2001:db8::1/64"
check "the MTU" grep -qx 1400 /sys/class/net/em1/mtu
check "the default route" bash -c "ip route show default | grep -F 'via 192.0.2.254 dev em1'"
check "a route in a table of its own" bash -c "ip route show table 200 | grep -F '203.0.113.0/24 via 192.0.2.254 dev em1 metric 7'"
check "an IPv6 route" bash -c "ip -6 route | grep -F '2001:db8:9::/48 via 2001:db8::fe dev em1'"
check "a rule" bash -c "ip rule | grep -F 'from 192.0.2.0/24 lookup 200'"
check "the table's name is known" grep -qF "200	extra" root/etc/iproute2/rt_tables
check "the second run changes nothing" run_static 0

# Only what changed is restarted: a mark on the other interface stays.
ip addr add 198.51.100.77/32 dev em2
changed=${static/192.0.2.1\/24/192.0.2.9\/24}
run_changed() { net 2 <<<"$changed"; }
check "another address" run_changed
check "the new address is there" has em1 "inet 192.0.2.9/24"
check "the old one is not" bash -c "! ip -o addr show dev em1 | grep -F ' inet 192.0.2.1/24'"
check "there is one rule, not two" bash -c "[ \$(ip rule | grep -c 'from 192.0.2.0/24') = 1 ]"
check "the other interface was left alone" has em2 "inet 198.51.100.77/32"

# A configuration that cuts the machine off.
cut_off() {
    net 4 --check http://192.0.2.254:8000/ --check-timeout 2 <<<"network_config: [{type: interface, name: em1, addresses: [{ip_netmask: 198.51.100.9/24}]}]"
}
cp root/etc/network/interfaces before
check "a configuration that loses the server is refused" cut_off
check "it says so" grep -qF "the new configuration was rolled back" log
check "the file is as before" cmp before root/etc/network/interfaces
check "the address is back" has em1 "inet 192.0.2.9/24"
check "the default route is back" bash -c "ip route show default | grep -F 'via 192.0.2.254 dev em1'"
check "nothing is left to repair" test ! -e root/var/lib/os-net-config/state.json

gateway_lost() {
    net 4 --check http://192.0.2.254:8000/ --check-timeout 2 <<<"network_config: [{type: interface, name: em1,
        addresses: [{ip_netmask: 192.0.2.9/24}], routes: [{default: true, next_hop: 192.0.2.66}]}]"
}
check "so is one whose gateway does not answer" gateway_lost
check "it names the gateway" grep -qF "the gateway 192.0.2.66 does not answer" log
check "the gateway from before is back" bash -c "ip route show default | grep -F 'via 192.0.2.254 dev em1'"

# A bridge takes the interface over; the server answers through it.
bridge='network_config:
- type: linux_bridge
  name: br0
  addresses: [{ip_netmask: 192.0.2.1/24}]
  routes: [{default: true, next_hop: 192.0.2.254}]
  members: [{type: interface, name: em1, primary: true}]
'
run_bridge() { net 2 --check http://192.0.2.254:8000/ --check-timeout 20 --cleanup <<<"$bridge"; }
check "a bridge that keeps the server" run_bridge
check "it has the address" has br0 "inet 192.0.2.1/24"
check "the interface is its port" test -e /sys/class/net/br0/brif/em1
check "it has the interface's MAC" cmp /sys/class/net/br0/address /sys/class/net/em1/address
check "the rule of before is gone" bash -c "! ip rule | grep -F 'from 192.0.2.0/24'"
check "cleanup took the other interface down" bash -c "! ip -o addr show dev em2 | grep -F 198.51.100.1/24"

boot() { # what the init script does at boot, after the devices were lost
    ip link delete dev br0
    ip addr flush dev em1
    rm -f /run/network/ifstate*
    ifup -a -i root/etc/network/interfaces
}
check "the file is enough for a boot" boot
check "the bridge is there again" has br0 "inet 192.0.2.1/24"

plain() { net 2 --cleanup <<<"network_config: [{type: interface, name: em1, addresses: [{ip_netmask: 192.0.2.1/24}]}]"; }
check "the bridge goes when it is no longer wanted" plain
check "its device too" test ! -e /sys/class/net/br0
check "the interface is free" has em1 "inet 192.0.2.1/24"

missing() { net 4 <<<"network_config: [{type: interface, name: em9, addresses: [{ip_netmask: 192.0.2.5/24}]}]"; }
check "an interface that is not there is an error" missing
check "the log names it" grep -qF em9 root/var/log/os-net-config.log

jobs -p | xargs -r kill
[ "$failures" = 0 ] || { echo "$failures failed" && exit 1; }
